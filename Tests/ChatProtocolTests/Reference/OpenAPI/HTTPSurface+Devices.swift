// What the document says of the device authorization grant (RFC 8628): its two routes take forms, and
// their errors have OAuth's form.

import ChatProtocol
import HTTPProtocol

extension HTTPRoute {
    private static func form(_ fields: [(name: String, value: String?)]) -> [HTTPOperation.Content]
    {
        let properties = fields.map { name, value in
            YAML.Member(key: name, value: value.map { Schema.words([$0]) } ?? Schema.string)
        }
        return [
            HTTPOperation.Content(
                mediaType: "application/x-www-form-urlencoded",
                schema: [
                    "type": "object", "required": .list(fields.map { .text($0.name) }),
                    "properties": .map(properties),
                ]
            )
        ]
    }

    private static func refusals(_ badRequest: [GrantError.Code]) -> [HTTPOperation.Reply] {
        let codes: [(Int, [GrantError.Code])] = [
            (400, badRequest), (401, [.invalidClient]), (403, [.invalidRequest]),
            (429, [.temporarilyUnavailable]), (500, [.serverError]),
            (503, [.temporarilyUnavailable]),
        ]
        return codes.map { status, codes in
            HTTPOperation.Reply(
                status: status,
                description: codes.map(\.rawValue).joined(separator: ", "),
                contents: HTTPOperation.Content.json(Schema.named("GrantError"))
            )
        }
    }

    static let deviceAuthorizationMethod = HTTPOperation(
        method: .post,
        name: "authorizeDevice",
        summary: "Makes the codes with which a device is signed in (RFC 8628, section 3.1).",
        access: .anybody,
        body: form([("client_id", DeviceGrant.clientID)]),
        replies: [
            HTTPOperation.Reply(
                status: 200,
                description: "The codes, and the page where the user types theirs.",
                contents: HTTPOperation.Content.json(Schema.named("DeviceAuthorizationReply"))
            )
        ] + refusals([.invalidRequest])
    )

    static let tokenMethod = HTTPOperation(
        method: .post,
        name: "pollToken",
        summary: "Signs a device in once its user has confirmed (RFC 8628, section 3.4).",
        access: .anybody,
        body: form([
            ("grant_type", DeviceGrant.grantType), ("client_id", DeviceGrant.clientID),
            ("device_code", nil),
        ]),
        replies: [
            HTTPOperation.Reply(
                status: 200,
                description: "Signed in.",
                contents: HTTPOperation.Content.json(Schema.named("DeviceTokenReply"))
            )
        ]
            + refusals([
                .invalidRequest, .invalidGrant, .unsupportedGrantType, .authorizationPending,
                .slowDown, .accessDenied, .expiredToken,
            ])
    )
}
