// How a reply is written: one way for each of OpenAI's interfaces that return answers.

/// Writes one reply, whole or as a stream of events.
public protocol ReplyWriter: Sendable {
    /// The whole reply.
    func whole(_ text: String, _ end: CompletionEnd, _ usage: TokenUsage?) -> [UInt8]
    /// The first frames of a stream.
    mutating func begin() -> [UInt8]
    /// The frames of more text.
    mutating func more(_ text: String) -> [UInt8]
    /// The last frames of a stream.
    mutating func end(_ end: CompletionEnd, _ usage: TokenUsage?) -> [UInt8]
    /// The last frames of a stream whose answer failed.
    mutating func fail(_ error: APIError) -> [UInt8]
}
