// The form that an answer must have, as requests name it.

/// The form of an answer. Every answer with a form has it, also one that ends at its token limit.
public enum AnswerConstraint: Sendable, Hashable {
    /// Any JSON object.
    case jsonObject
    /// A JSON value that is valid against this JSON Schema (a JSON text, draft 2020-12).
    /// docs/use/structured-answers.md lists what a schema may contain.
    case jsonSchema(String)
    /// A text that matches this regular expression as a whole.
    case pattern(String)
    /// Any text; after the special token whose text is `opening`, nothing but a JSON value that is
    /// valid against `schema`.
    case calls(opening: String, schema: String)
}

extension AnswerConstraint: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, schema, pattern, opening
    }

    private enum Kind: String, Codable {
        case jsonObject = "json_object"
        case jsonSchema = "json_schema"
        case pattern
        case calls
    }

    /// Reads `{"type": …}` with `schema`, `pattern` or `opening`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .jsonObject: self = .jsonObject
        case .jsonSchema: self = .jsonSchema(try container.decode(String.self, forKey: .schema))
        case .pattern: self = .pattern(try container.decode(String.self, forKey: .pattern))
        case .calls:
            self = .calls(
                opening: try container.decode(String.self, forKey: .opening),
                schema: try container.decode(String.self, forKey: .schema)
            )
        }
    }

    /// Writes `{"type": …}` with `schema`, `pattern` or `opening`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .jsonObject:
            try container.encode(Kind.jsonObject, forKey: .type)
        case .jsonSchema(let schema):
            try container.encode(Kind.jsonSchema, forKey: .type)
            try container.encode(schema, forKey: .schema)
        case .pattern(let pattern):
            try container.encode(Kind.pattern, forKey: .type)
            try container.encode(pattern, forKey: .pattern)
        case .calls(let opening, let schema):
            try container.encode(Kind.calls, forKey: .type)
            try container.encode(opening, forKey: .opening)
            try container.encode(schema, forKey: .schema)
        }
    }
}
