// Generates docs/reference/openapi.yaml: the routes of `HTTPRoute` with what HTTPSurface.swift says of
// them, the protocol's types, and the bodies of OpenAI's API.

import ChatCore
import ChatProtocol
import HTTPProtocol
import OpenAIProtocol
import Transfers

/// The HTTP interface as an OpenAPI 3.1 document.
struct OpenAPIDocument {
    private let recorder = SchemaRecorder()
    private let words: SourceWords

    /// The document's text.
    static func make() throws -> String {
        let lines = try OpenAPIDocument(words: SourceWords()).document().lines
        return (head + lines).joined(separator: "\n") + "\n"
    }

    private static let head = [
        "# Made from the routes and types of Sources by `make reference`; a test holds it against the code.",
        "# docs/use/openai.md and docs/use/transfers.md say what it means; the chat itself is in asyncapi.yaml.",
    ]

    private func document() throws -> YAML {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Stoa over HTTP",
                "version": "1.0.0",
                "description": .text(Self.description),
                "license": ["name": "MIT", "identifier": "MIT"],
            ],
            "servers": [["url": "http://localhost:8080"]],
            "paths": paths(),
            "components": [
                "securitySchemes": Self.securitySchemes,
                "schemas": try schemas(),
            ],
        ]
    }

    private static let description =
        "All routes except the files of the page. Each also answers HEAD where it has GET, and "
        + "OPTIONS with its methods in Allow; other methods are refused with 405, or 501 if no route "
        + "knows them. Requests that are no HTTP, or too long, get a status of 400 to 431 with a text. "
        + "Fields that are not listed are to be ignored."

    private static let securitySchemes: YAML = [
        "session": [
            "type": "apiKey", "in": "cookie", "name": "stoa_session",
            "description": "For the page; over TLS the name is __Host-stoa_session.",
        ],
        "token": [
            "type": "http", "scheme": "bearer",
            "description": "An API key with the scope of the route, or a session's token.",
        ],
        "metricsToken": [
            "type": "http", "scheme": "bearer", "description": "The setting metrics-token.",
        ],
    ]

    // MARK: Paths

    private func paths() -> YAML {
        .map(
            HTTPRoute.allCases.map { route in
                // OpenAPI has no template for the rest of a path.
                let path = route.rawValue.replacing("{+", with: "{")
                let methods = route.operations.map { operation in
                    YAML.Member(
                        key: operation.method.name.lowercased(),
                        value: yaml(of: operation, route)
                    )
                }
                return YAML.Member(key: path, value: .map(methods))
            }
        )
    }

    private func yaml(of operation: HTTPOperation, _ route: HTTPRoute) -> YAML {
        var yaml: YAML = [
            "operationId": .text(operation.name),
            "summary": .text(operation.summary),
            "tags": [.text(Self.tag(of: route))],
        ]
        if operation.access != .anybody {
            yaml = yaml.adding("security", Self.security(operation.access))
            if operation.access != .metricsToken {
                yaml = yaml.adding("x-scope", .text(route.scope.rawValue))
            }
        }
        let parameters = Self.pathParameters(of: route) + operation.parameters.map(Self.yaml)
        if !parameters.isEmpty { yaml = yaml.adding("parameters", .list(parameters)) }
        if !operation.body.isEmpty {
            yaml = yaml.adding(
                "requestBody",
                ["required": true, "content": Self.yaml(of: operation.body)]
            )
        }
        return yaml.adding("responses", Self.responses(of: operation, route))
    }

    private static func tag(of route: HTTPRoute) -> String {
        if route.isOpenAI { return "OpenAI" }
        return route.rawValue.hasPrefix("/api/") ? "Stoa" : "Server"
    }

    private static func security(_ access: HTTPOperation.Access) -> YAML {
        switch access {
        case .anybody: []
        case .user: [["session": []], ["token": []]]
        case .key: [["token": []]]
        case .metricsToken: [["metricsToken": []]]
        }
    }

    private static func pathParameters(of route: HTTPRoute) -> [YAML] {
        route.rawValue.split(separator: "/").filter { $0.hasPrefix("{") }.map { name in
            let name = name.filter { !"{+}".contains($0) }
            let isID = ["conversation", "message"].contains(name)
            return [
                "name": .text(name), "in": "path", "required": true,
                "schema": isID ? Schema.uuid : Schema.string,
            ]
        }
    }

    private static func yaml(of parameter: HTTPOperation.Parameter) -> YAML {
        [
            "name": .text(parameter.name),
            "in": .text(parameter.place.rawValue),
            "required": .bool(parameter.isRequired),
            "schema": parameter.schema,
            "description": .text(parameter.description),
        ]
    }

    private static func yaml(of contents: [HTTPOperation.Content]) -> YAML {
        .map(
            contents.map { content in
                let value: YAML = ["schema": content.schema]
                return YAML.Member(
                    key: content.mediaType,
                    value: value.adding("example", content.example)
                )
            }
        )
    }

    // MARK: Replies

    private static func responses(of operation: HTTPOperation, _ route: HTTPRoute) -> YAML {
        var replies: [Int: YAML] = [:]
        for (status, description) in operation.textErrors {
            replies[status] = reply(description, route == .webSocket ? [] : [.text()])
        }
        if route != .liveness, route != .readiness {
            replies[421] = reply("The request names a host that is not this server's.", [.text()])
        }
        for (status, words) in errors(of: operation, route) where replies[status] == nil {
            let schema = Schema.named(route.isOpenAI ? "APIError" : "ErrorBody")
            replies[status] = reply(
                words.joined(separator: ", "),
                HTTPOperation.Content.json(schema)
            )
        }
        for reply in operation.replies {
            var yaml = Self.reply(reply.description, reply.contents)
            if !reply.headers.isEmpty {
                let headers = reply.headers.map { name, description in
                    YAML.Member(
                        key: name,
                        value: ["schema": Schema.string, "description": .text(description)]
                    )
                }
                yaml = yaml.adding("headers", .map(headers))
            }
            replies[reply.status] = yaml
        }
        return .map(
            replies.sorted { $0.key < $1.key }.map {
                YAML.Member(key: "\($0.key)", value: $0.value)
            }
        )
    }

    private static func reply(_ description: String, _ contents: [HTTPOperation.Content]) -> YAML {
        let yaml: YAML = ["description": .text(description)]
        return contents.isEmpty ? yaml : yaml.adding("content", Self.yaml(of: contents))
    }

    /// The names of the errors of each status, among them those that every route has that uses the
    /// database.
    private static func errors(of operation: HTTPOperation, _ route: HTTPRoute) -> [Int: [String]] {
        var errors: [Int: [String]] = [:]
        let usesDatabase = ![.liveness, .readiness, .metrics].contains(route)
        let common: [ErrorCode] = usesDatabase ? [.badRequest, .internalError, .unavailable] : []
        for code in ErrorCode.allCases where (operation.errors + common).contains(code) {
            let error = APIError(WireError(code, ""))
            if route.isOpenAI {
                errors[error.status, default: []].append(error.code ?? error.kind.rawValue)
            } else {
                errors[code.httpStatus, default: []].append(code.rawValue)
            }
        }
        return errors
    }

    // MARK: Schemas

    private func schemas() throws -> YAML {
        let types: [any Decodable.Type] = [
            DeviceAuthorizationReply.self, DeviceTokenReply.self, ErrorBody.self, GrantError.self,
            PasswordResetRequest.self, PromptReceipt.self, SharedPage.self, SignInReply.self,
            SignInRequest.self,
            SignUpRequest.self, SignedOutBody.self, TransferReport.self,
        ]
        for type in types { _ = try recorder.schema(of: type) }
        let recorded = recorder.objects.map { name, fields in
            (name: name, schema: yaml(of: fields, of: name))
        }
        let all = try recorded + OpenAIBodies.schemas + OpenAISamples.schemas()
        return .map(
            all.sorted { $0.name < $1.name }.map { YAML.Member(key: $0.name, value: $0.schema) }
        )
    }

    private func yaml(of fields: [WireField], of type: String) -> YAML {
        var yaml: YAML = ["type": "object"]
        let required = fields.filter(\.isRequired).map { YAML.text($0.name) }
        if !required.isEmpty { yaml = yaml.adding("required", .list(required)) }
        let properties = fields.map { field in
            let sentence = words.sentence(of: field.name, in: type)?
                .replacing("nil ", with: "absent ")
            return YAML.Member(
                key: field.name,
                value: Self.yaml(of: field.schema).adding("description", sentence.map { .text($0) })
            )
        }
        return yaml.adding("properties", .map(properties))
    }

    private static func yaml(of schema: WireSchema) -> YAML {
        switch schema {
        case .boolean: Schema.boolean
        case .integer: Schema.integer
        case .number: Schema.number
        case .string: Schema.string
        case .uuid: Schema.uuid
        case .time: ["type": "string", "format": "date-time"]
        case .words(let words): Schema.words(words)
        case .array(let element): Schema.array(yaml(of: element))
        case .map(let value): ["type": "object", "additionalProperties": yaml(of: value)]
        case .object(let name): Schema.named(name)
        }
    }
}
