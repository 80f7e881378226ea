/// The code of a sentence for people, with the values in it, so that clients can say it in their users'
/// languages. The sentence itself is beside it on the wire. Codes are listed in
/// docs/reference/sentences.md; clients show the sentence for a code that they do not know.
public struct SentenceCode: Codable, Hashable, Sendable {
    /// The code.
    public var code: String
    /// The values by their names; absent if there are none.
    public var values: [String: String]?

    /// Creates a code with values.
    public init(_ code: String, _ values: [String: String] = [:]) {
        self.code = code
        self.values = values.isEmpty ? nil : values
    }
}
