// The form of answers, in the words of each kind of engine.

import ConstrainedText
import JSONText

/// `response_format` of OpenAI's API, which vLLM takes for completions too.
struct ResponseFormat: Encodable {
    struct Schema: Encodable {
        let name = "answer"
        let schema: JSONValue
        let strict = true
    }

    let type: String
    var schema: Schema?

    enum CodingKeys: String, CodingKey {
        case type
        case schema = "json_schema"
    }
}

/// `json_schema`: llama-server's is the schema, SGLang's its text.
enum SchemaForm: Encodable {
    case value(JSONValue)
    case text(String)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .value(let schema): try schema.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        }
    }
}

/// What asks an engine for a form.
struct FormOfRequest {
    private static let anyObject = #"{"type":"object"}"#

    /// The members of the request; one of them is nil.
    let members: (ResponseFormat?, SchemaForm?)

    init(
        _ constraint: AnswerConstraint,
        _ dialect: EngineDialect,
        _ kind: EngineKind
    ) throws(EngineFault) {
        guard kind.holdsSchemas else { throw .cannotHoldForm }
        let text: String?
        switch constraint {
        case .jsonObject: text = nil
        case .jsonSchema(let schema): text = schema
        case .pattern, .calls: throw .cannotHoldForm
        }
        guard let schema = try? JSONValue(parsing: Array((text ?? Self.anyObject).utf8)) else {
            throw .cannotHoldForm
        }
        switch (dialect, kind) {
        case (.llama, _): members = (nil, .value(schema))
        case (.completion, .sglang): members = (nil, .text(text ?? Self.anyObject))
        default:
            members =
                text == nil
                ? (ResponseFormat(type: "json_object"), nil)
                : (ResponseFormat(type: "json_schema", schema: .init(schema: schema)), nil)
        }
    }
}
