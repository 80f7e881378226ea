// The form of answers, as requests of OpenAI's API name it.

public import ConstrainedText

/// What `response_format` or `text.format` asks for.
public struct AnswerFormat: Sendable, Hashable, Codable {
    /// The form.
    public var constraint: AnswerConstraint
    /// The client's name for the schema; nil where there is no schema.
    public var name: String?
    /// What the client said about strictness. Every schema is held.
    public var isStrict: Bool?

    /// Creates a format.
    public init(_ constraint: AnswerConstraint, name: String? = nil, isStrict: Bool? = nil) {
        self.constraint = constraint
        self.name = name
        self.isStrict = isStrict
    }

    private enum CodingKeys: String, CodingKey {
        case constraint, name
        case isStrict = "strict"
    }
}
