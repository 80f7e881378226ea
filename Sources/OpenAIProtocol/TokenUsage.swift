// The tokens that an answer used, in OpenAI's words.

public import ChatProtocol

/// The tokens of a prompt and its answer.
public struct TokenUsage: Sendable, Hashable, Encodable {
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Tokens of the prompt that were in the cache.
    public var cachedTokens: Int
    /// Tokens of the answer.
    public var completionTokens: Int
    /// Those of them that are what the model thought; nil if that is not known, or it did not.
    public var thinkingTokens: Int?

    /// The figures of an answer.
    public init(_ usage: Usage) {
        promptTokens = usage.promptTokens
        cachedTokens = usage.cachedTokens
        completionTokens = usage.completionTokens
        thinkingTokens = usage.thinkingTokens
    }

    /// The figures of all answers of a request, of which this number each share a prompt: it counts
    /// once, as OpenAI counts it.
    /// - Returns: nil if there are none.
    public static func sum(_ usages: [TokenUsage], answersPerPrompt: Int) -> TokenUsage? {
        guard var sum = usages.first else { return nil }
        for (index, usage) in usages.enumerated().dropFirst() {
            sum.completionTokens += usage.completionTokens
            if let more = usage.thinkingTokens {
                sum.thinkingTokens = (sum.thinkingTokens ?? 0) + more
            }
            guard index % answersPerPrompt == 0 else { continue }
            sum.promptTokens += usage.promptTokens
            sum.cachedTokens += usage.cachedTokens
        }
        return sum
    }

    private enum Key: String, CodingKey {
        case prompt = "prompt_tokens"
        case completion = "completion_tokens"
        case total = "total_tokens"
        case details = "prompt_tokens_details"
        case cached = "cached_tokens"
        case completionDetails = "completion_tokens_details"
        case reasoning = "reasoning_tokens"
    }

    /// Writes the object `usage` of a reply.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(promptTokens, forKey: .prompt)
        try container.encode(completionTokens, forKey: .completion)
        try container.encode(promptTokens + completionTokens, forKey: .total)
        var details = container.nestedContainer(keyedBy: Key.self, forKey: .details)
        try details.encode(cachedTokens, forKey: .cached)
        guard let thinkingTokens else { return }
        var more = container.nestedContainer(keyedBy: Key.self, forKey: .completionDetails)
        try more.encode(thinkingTokens, forKey: .reasoning)
    }
}

/// Why an answer ended.
public enum CompletionEnd: String, Sendable, Hashable {
    /// The model ended it, or a stop string did.
    case stop
    /// It reached its maximum length.
    case length
    /// The model ended it with calls of tools.
    case toolCalls = "tool_calls"
}
