// The reply to `POST /v1/completions`, whole or in chunks: both are the object `text_completion`.
// https://platform.openai.com/docs/api-reference/completions/object

import ChatCore
import ChatProtocol

private enum Key: String, CodingKey {
    case id, object, created, model, choices, usage, text, index, logprobs, tokens
    case finishReason = "finish_reason"
    case tokenLogprobs = "token_logprobs"
    case topLogprobs = "top_logprobs"
    case textOffset = "text_offset"
}

/// Writes a text completion.
public struct TextCompletionWriter: ReplyWriter {
    private let head: CompletionHead
    /// The text with which each answer begins, besides its own.
    private let echoes: [String]
    private let includesUsage: Bool
    private let includesTokens: Bool
    /// The length of each answer's text so far, in characters as Python counts them.
    private var lengths: [Int]

    /// - Parameters:
    ///   - head: what all chunks have in common.
    ///   - echoes: for each answer, its prompt, if its text begins with that; else an empty text.
    ///   - includesUsage: whether a stream ends with the tokens used.
    ///   - includesTokens: whether tokens have their probabilities.
    public init(
        _ head: CompletionHead,
        echoes: [String],
        includesUsage: Bool,
        includesTokens: Bool
    ) {
        self.head = head
        self.echoes = echoes
        self.includesUsage = includesUsage
        self.includesTokens = includesTokens
        lengths = echoes.map(\.unicodeScalars.count)
    }

    /// The whole object.
    public func whole(_ answers: [WholeAnswer], _ usage: TokenUsage?) -> [UInt8] {
        let choices = zip(answers, echoes).enumerated().map { index, answer in
            TextChoice(
                index: index,
                text: answer.1 + answer.0.piece.text,
                tokens: includesTokens ? answer.0.piece.tokens : nil,
                offset: lengths[index],
                end: answer.0.end
            )
        }
        return WireEncoding.text(TextCompletion(head: head, choices: choices, usage: .some(usage)))
    }

    /// The prompts that answers begin with.
    public func begin() -> [UInt8] {
        echoes.enumerated().filter { !$0.element.isEmpty }.flatMap { index, text in
            frame(TextChoice(index: index, text: text, tokens: nil, offset: 0, end: nil))
        }
    }

    /// A chunk.
    public mutating func more(_ piece: AnswerPiece, of index: Int) -> [UInt8] {
        let offset = lengths[index]
        lengths[index] += piece.text.unicodeScalars.count
        let tokens = includesTokens ? piece.tokens : nil
        return frame(
            TextChoice(index: index, text: piece.text, tokens: tokens, offset: offset, end: nil)
        )
    }

    /// The chunk with the reason.
    public func end(_ end: CompletionEnd, of index: Int) -> [UInt8] {
        frame(TextChoice(index: index, text: "", tokens: nil, offset: 0, end: end))
    }

    /// The tokens used if they are wanted, and `[DONE]`.
    public func finish(_ usage: TokenUsage?) -> [UInt8] {
        let last = TextCompletion(head: head, choices: [], usage: .some(usage))
        return (includesUsage ? EventStream.frame(last) : []) + EventStream.done
    }

    /// The error instead of `[DONE]`.
    public func fail(_ error: APIError) -> [UInt8] { EventStream.frame(error) }

    private func frame(_ choice: TextChoice) -> [UInt8] {
        EventStream.frame(
            TextCompletion(head: head, choices: [choice], usage: includesUsage ? .some(nil) : nil)
        )
    }
}

/// The object.
private struct TextCompletion: Encodable {
    let head: CompletionHead
    let choices: [TextChoice]
    /// Nil if the object does not have it, and null if there is none.
    let usage: TokenUsage??

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(head.id, forKey: .id)
        try container.encode("text_completion", forKey: .object)
        try container.encode(head.created, forKey: .created)
        try container.encode(head.model, forKey: .model)
        try container.encode(choices, forKey: .choices)
        if let usage { try container.encode(usage, forKey: .usage) }
    }
}

/// An answer, or a piece of one.
private struct TextChoice: Encodable {
    let index: Int
    let text: String
    /// Nil if the request does not want their probabilities.
    let tokens: [AnswerToken]?
    /// Where the text begins in the answer, in characters.
    let offset: Int
    let end: CompletionEnd?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(text, forKey: .text)
        try container.encode(index, forKey: .index)
        if let tokens {
            try encode(tokens, to: &container)
        } else {
            try container.encodeNil(forKey: .logprobs)
        }
        try container.encode(end?.rawValue, forKey: .finishReason)
    }

    private func encode(
        _ tokens: [AnswerToken],
        to container: inout KeyedEncodingContainer<Key>
    ) throws {
        var logprobs = container.nestedContainer(keyedBy: Key.self, forKey: .logprobs)
        try logprobs.encode(tokens.map(\.token.text), forKey: .tokens)
        try logprobs.encode(tokens.map(\.token.logprob), forKey: .tokenLogprobs)
        try logprobs.encode(
            tokens.map { LikeliestTokens(tokens: $0.top) },
            forKey: .topLogprobs
        )
        var offset = offset
        var offsets: [Int] = []
        for token in tokens {
            offsets.append(offset)
            offset += token.token.text.unicodeScalars.count
        }
        try logprobs.encode(offsets, forKey: .textOffset)
    }
}

/// The likeliest tokens at a place, by their texts, likeliest first.
private struct LikeliestTokens: Encodable {
    let tokens: [AnswerToken.Rated]

    private struct Text: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Text.self)
        var known: Set<String> = []
        // Parts of characters may have the same text.
        for token in tokens where known.insert(token.text).inserted {
            try container.encode(token.logprob, forKey: Text(stringValue: token.text))
        }
    }
}
