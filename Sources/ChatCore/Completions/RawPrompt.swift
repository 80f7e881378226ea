// Prompts of `POST /v1/completions`, which no chat template frames.

import ChatProtocol

/// A prompt that is the question's text, without a template.
public enum RawPrompt: Sendable, Hashable {
    /// The text is tokenized; nothing in it becomes a special token.
    case text
    /// The request had these tokens; the question's text is what they mean.
    case tokens([Int32])
}

extension RawPrompt: Codable {
    /// Reads the stored form: `"text"`, or an array of ids.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode(String.self)) != nil {
            self = .text
        } else {
            self = .tokens(try container.decode([Int32].self))
        }
    }

    /// Writes the stored form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text: try container.encode("text")
        case .tokens(let tokens): try container.encode(tokens)
        }
    }
}

extension PromptBuilder {
    /// The prompt that is exactly the given tokens.
    /// - Parameters:
    ///   - tokens: the tokens; not empty.
    ///   - message: the question, for the receipt.
    ///   - maxNewTokens: maximum length of the answer, in tokens.
    /// - Returns: the prompt.
    /// - Throws: `PromptError.newestTurnTooLong`.
    public func raw(
        _ tokens: [Int32],
        of message: PromptMessage,
        maxNewTokens: Int
    ) throws(PromptError) -> Prompt {
        let limit = promptLimit(maxNewTokens: maxNewTokens)
        guard tokens.count <= limit else {
            throw .newestTurnTooLong(tokens: tokens.count, limit: limit)
        }
        var receipt = PromptReceipt(
            policy: .refuse,
            systemPrompt: nil,
            entries: [PromptReceipt.Entry(message: message.id, tokens: tokens.count)],
            promptTokens: tokens.count,
            leftOut: nil,
            summarized: nil
        )
        receipt.isRaw = true
        return Prompt(
            messages: [message],
            tokens: tokens,
            receipt: receipt,
            maxNewTokens: min(maxNewTokens, contextLength - tokens.count)
        )
    }
}
