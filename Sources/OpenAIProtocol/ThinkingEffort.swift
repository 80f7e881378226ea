// How much a request lets a model think: as a number of tokens, or as one of OpenAI's words.

import ChatProtocol
import JSONText

/// OpenAI's words for how much a model thinks: shares of the longest answer.
public enum ThinkingEffort: String, Sendable, Hashable, CaseIterable {
    case none, minimal, low, medium, high, xhigh

    /// The maximum length of the thinking part.
    /// - Parameter answerTokens: the maximum length of the answer, in tokens.
    /// - Returns: the length, in tokens.
    public func tokens(of answerTokens: Int) -> Int { answerTokens * percent / 100 }

    private var percent: Int {
        switch self {
        case .none: 0
        case .minimal: 10
        case .low: 20
        case .medium: 50
        case .high: 80
        case .xhigh: 95
        }
    }
}

extension RequestFields {
    /// `max_thinking_tokens`.
    func maxThinkingTokens() throws(APIError) -> Int? {
        guard let value = try integer("max_thinking_tokens") else { return nil }
        guard (0...1_000_000).contains(value) else {
            throw APIError.invalid(place(of: "max_thinking_tokens"), "it must be 0 to 1000000")
        }
        return value
    }

    /// A field with a word for how much the model thinks.
    func effort(_ name: String) throws(APIError) -> ThinkingEffort? {
        guard let word = try string(name) else { return nil }
        guard let effort = ThinkingEffort(rawValue: word) else {
            let words = ThinkingEffort.allCases.map(\.rawValue).joined(separator: ", ")
            throw APIError.invalid(place(of: name), "it must be one of \(words)")
        }
        return effort
    }
}

extension ChatCompletionRequest {
    /// Keeps what a request says of thinking.
    /// - Parameters:
    ///   - effort: the word, if there is one.
    ///   - field: the field of the word.
    ///   - tokens: the number, if there is one.
    /// - Throws: `APIError` if there are both.
    mutating func keepThinking(
        _ effort: ThinkingEffort?,
        _ field: String,
        _ tokens: Int?
    ) throws(APIError) {
        guard effort == nil || tokens == nil else {
            throw APIError.invalid(field, "max_thinking_tokens says it, too: send one")
        }
        settings.maxThinkingTokens = tokens
        self.effort = effort
        if effort != nil { thinkingField = field }
    }

    /// Replaces a word for how much the model thinks by a number.
    /// - Parameter longest: the length of the answer if the request does not limit it, in tokens.
    public mutating func resolveEffort(longest: Int) {
        guard let effort else { return }
        settings.maxThinkingTokens = effort.tokens(of: settings.maxTokens ?? longest)
    }
}
