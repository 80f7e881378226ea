// How a reply is written: one way for each of OpenAI's interfaces that return answers.

public import ChatCore

/// Text of an answer, and its tokens if the request wants their probabilities.
public struct AnswerPiece: Sendable, Hashable {
    /// The text.
    public var text: String
    /// The tokens that came with the text; empty if the request does not want them.
    public var tokens: [AnswerToken]

    /// Creates a piece.
    public init(_ text: String, tokens: [AnswerToken] = []) {
        self.text = text
        self.tokens = tokens
    }
}

/// An answer that has ended.
public struct WholeAnswer: Sendable, Hashable {
    /// Its text and tokens.
    public var piece: AnswerPiece
    /// Why it ended.
    public var end: CompletionEnd

    /// Creates an answer.
    public init(_ piece: AnswerPiece, _ end: CompletionEnd) {
        self.piece = piece
        self.end = end
    }
}

/// Writes one reply, whole or as a stream of events. A request may ask for several answers, which
/// are numbered from 0.
public protocol ReplyWriter: Sendable {
    /// The whole reply.
    func whole(_ answers: [WholeAnswer], _ usage: TokenUsage?) -> [UInt8]
    /// The first frames of a stream.
    mutating func begin() -> [UInt8]
    /// The frames of more text of an answer.
    mutating func more(_ piece: AnswerPiece, of index: Int) -> [UInt8]
    /// The frames of an answer's end.
    mutating func end(_ end: CompletionEnd, of index: Int) -> [UInt8]
    /// The last frames of a stream, after the end of all answers.
    mutating func finish(_ usage: TokenUsage?) -> [UInt8]
    /// The last frames of a stream of which an answer failed.
    mutating func fail(_ error: APIError) -> [UInt8]
}
