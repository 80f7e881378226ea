// What the document says of exports and imports.

import ChatProtocol
import HTTPProtocol
import Transfers

extension HTTPRoute {
    private static func format(_ more: [String], default name: String) -> HTTPOperation.Parameter {
        HTTPOperation.Parameter(
            name: "format",
            schema: Schema.words(TransferFormat.allCases.map(\.rawValue) + more)
                .adding("default", .text(name)),
            description: "The format of the file."
        )
    }

    private static var file: HTTPOperation.Reply {
        HTTPOperation.Reply(
            status: 200,
            description: "The file, streamed: a body without its end is not the whole file.",
            contents: TransferFormat.allCases.map { format in
                // JSON is not only strings.
                format.mediaType == "application/json"
                    ? HTTPOperation.Content(mediaType: format.mediaType, schema: [:])
                    : .text(format.mediaType)
            },
            headers: [("Content-Disposition", "The file's name.")]
        )
    }

    static let exportMethod = HTTPOperation(
        method: .get,
        name: "exportConversation",
        summary: "Exports one conversation.",
        parameters: [format(["json"], default: "markdown")],
        replies: [file],
        errors: [.badRequest, .unauthenticated, .forbidden, .notFound, .rateLimited]
    )

    static let exportManyMethod = HTTPOperation(
        method: .get,
        name: "exportMany",
        summary: "Exports all conversations of the user, of a team or of the server.",
        parameters: [
            HTTPOperation.Parameter(
                name: "scope",
                schema: [
                    "type": "string", "pattern": "^(me|all|team:[0-9a-fA-F-]{36})$",
                    "default": "me",
                ],
                description: "Whose: `all` is for administrators."
            ),
            format([], default: "stoa"),
            HTTPOperation.Parameter(
                name: "after",
                schema: Schema.uuid,
                description: "Goes on after this conversation."
            ),
        ],
        replies: [file],
        errors: [.badRequest, .unauthenticated, .forbidden, .notFound, .rateLimited]
    )

    private static let importReport: YAML = [
        "type": "object",
        "required": ["report"],
        "properties": [
            "report": Schema.named("TransferReport"), "error": Schema.named("WireError"),
        ],
    ]

    static let importMethod = HTTPOperation(
        method: .post,
        name: "importFile",
        summary: "Imports a file of this or another system; docs/use/importing.md names them.",
        parameters: [
            HTTPOperation.Parameter(
                name: "scope",
                schema: Schema.words(["me", "all"]).adding("default", "me"),
                description: "Into whose account: `all` is for administrators."
            ),
            HTTPOperation.Parameter(
                name: "dry_run",
                schema: Schema.words(["true", "false"]).adding("default", "false"),
                description: "Whether nothing is stored."
            ),
        ],
        body: [HTTPOperation.Content(mediaType: "application/octet-stream", schema: [:])],
        replies: [
            HTTPOperation.Reply(
                status: 200,
                description: "What was imported.",
                contents: HTTPOperation.Content.json(importReport)
            ),
            HTTPOperation.Reply(
                status: 400,
                description: "bad_request: a parameter or the file is wrong; what `report` has "
                    + "stays imported.",
                contents: HTTPOperation.Content.json([
                    "anyOf": [importReport, Schema.named("ErrorBody")]
                ])
            ),
            HTTPOperation.Reply(
                status: 413,
                description: "limit_exceeded: the file, or something in it, is too long.",
                contents: HTTPOperation.Content.json([
                    "anyOf": [importReport, Schema.named("ErrorBody")]
                ])
            ),
        ],
        errors: [.unauthenticated, .forbidden, .rateLimited]
    )
}
