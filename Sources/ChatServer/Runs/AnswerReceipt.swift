// What the database keeps about how an answer was made. docs/use/receipts.md explains it.

package import ChatCore
package import Inference

/// What the model was given, and the engine's record of the run, as one JSON object.
package struct AnswerReceipt: Codable, Sendable {
    /// Which messages the model was given, and which were left out. Its members stand at the top.
    package let prompt: PromptReceipt
    /// The engine's record: of the prompt it has a hash; the messages are in the database already.
    /// Nil where the engine failed, or never began.
    package let run: RunReceipt?
    /// How often the answer was tried, this time included.
    package var attempts = 1
    /// The longest that the answer could be, in tokens, if a budget had shortened it.
    package var shortenedTo: Int?
    /// Where the run went on from an earlier one's text; nil where it wrote all of it.
    package var continuedAt: Continuation?

    /// How much of an answer an earlier run had written.
    package struct Continuation: Codable, Sendable {
        package let bytes: Int
        package let tokens: Int
    }

    init(
        prompt: PromptReceipt,
        run: RunReceipt?,
        attempts: Int = 1,
        shortenedTo: Int? = nil,
        continuedAt: Continuation? = nil
    ) {
        self.prompt = prompt
        self.run = run
        self.attempts = attempts
        self.shortenedTo = shortenedTo
        self.continuedAt = continuedAt
    }

    private enum CodingKeys: String, CodingKey {
        case run, attempts
        case cachedTokens = "cached_tokens"
        case continuedAt = "continued_at"
        case shortenedTo = "shortened_to"
    }

    /// Reads what a server stored.
    /// - Throws: `DecodingError` where it is something else.
    package init(from decoder: any Decoder) throws {
        prompt = try PromptReceipt(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        run = try container.decodeIfPresent(RunReceipt.self, forKey: .run)
        attempts = try container.decodeIfPresent(Int.self, forKey: .attempts) ?? 1
        shortenedTo = try container.decodeIfPresent(Int.self, forKey: .shortenedTo)
        continuedAt = try container.decodeIfPresent(Continuation.self, forKey: .continuedAt)
    }

    /// Writes the form that is stored.
    /// - Throws: what the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        try prompt.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(run?.prompt.cached, forKey: .cachedTokens)
        try container.encodeIfPresent(run, forKey: .run)
        try container.encode(attempts, forKey: .attempts)
        try container.encodeIfPresent(shortenedTo, forKey: .shortenedTo)
        try container.encodeIfPresent(continuedAt, forKey: .continuedAt)
    }
}
