// What the document says of one method of a route.

import ChatProtocol
import HTTPProtocol

/// One method of a route.
struct HTTPOperation {
    /// Who may use it.
    enum Access {
        case anybody
        /// A user: by the cookie of a session, or by a bearer token.
        case user
        /// A program with an API key, in the header only.
        case key
        /// A monitor with the token of the settings.
        case metricsToken
    }

    /// A parameter of the query or a header.
    struct Parameter {
        /// Where it is.
        enum Place: String {
            case query, header, cookie
        }

        var place = Place.query
        let name: String
        let schema: YAML
        let description: String
        var isRequired = false
    }

    /// The body of a request or reply.
    struct Content {
        let mediaType: String
        let schema: YAML
        var example: YAML?
    }

    /// A reply that is no error.
    struct Reply {
        let status: Int
        let description: String
        var contents: [Content] = []
        /// Names of headers and what they say.
        var headers: [(name: String, description: String)] = []
    }

    let method: HTTPMethod
    /// A name for generated clients.
    let name: String
    let summary: String
    var access = Access.user
    var parameters: [Parameter] = []
    var body: [Content] = []
    let replies: [Reply]
    /// The errors besides those that every route has.
    var errors: [ErrorCode] = []
    /// Errors with a text, or nothing, instead of an object, and what they mean.
    var textErrors: [(status: Int, description: String)] = []
}

extension HTTPOperation.Content {
    /// A JSON object.
    static func json(_ schema: YAML, example: YAML? = nil) -> [HTTPOperation.Content] {
        [HTTPOperation.Content(mediaType: "application/json", schema: schema, example: example)]
    }

    /// Server-sent events, for which OpenAPI 3.1 has no schema.
    static func events(_ mediaType: String) -> HTTPOperation.Content {
        HTTPOperation.Content(mediaType: mediaType, schema: [:])
    }

    /// A text.
    static func text(_ mediaType: String = "text/plain; charset=utf-8") -> HTTPOperation.Content {
        HTTPOperation.Content(mediaType: mediaType, schema: ["type": "string"])
    }
}

/// Schemas that stand where they are used.
enum Schema {
    static let boolean: YAML = ["type": "boolean"]
    static let integer: YAML = ["type": "integer"]
    static let number: YAML = ["type": "number"]
    static let string: YAML = ["type": "string"]
    static let uuid: YAML = ["type": "string", "format": "uuid"]

    /// A schema of `components`.
    static func named(_ name: String) -> YAML { ["$ref": "#/components/schemas/\(name)"] }

    /// One of some texts.
    static func words(_ words: [String]) -> YAML {
        ["type": "string", "enum": .list(words.map { .text($0) })]
    }

    static func array(_ element: YAML) -> YAML { ["type": "array", "items": element] }
}
