// The stored record of how an answer was generated. docs/use/receipts.md explains it.

package import ChatCore
package import Inference

/// What the model was given, and the engine's record of the run, as one JSON object.
package struct AnswerReceipt: Codable, Sendable {
    /// Which messages the model was given, and which were left out. Its members are at the top
    /// level.
    package let prompt: PromptReceipt
    /// The engine's record. It has a hash of the prompt, as the messages are in the database
    /// already. Nil if the engine failed, or never started.
    package let run: RunReceipt?
    /// The remote engine that generated it; nil if one of this server did.
    package let remote: RemoteRecord?
    /// Number of attempts, including this one.
    package var attempts = 1
    /// The maximum length of the answer, in tokens, if a budget shortened it.
    package var shortenedTo: Int?
    /// Where the run resumed an earlier run's text; nil if it generated all of the text.
    package var continuedAt: Continuation?

    /// How much of the answer earlier runs had generated.
    package struct Continuation: Codable, Sendable {
        package let bytes: Int
        package let tokens: Int
    }

    init(
        prompt: PromptReceipt,
        run: RunReceipt?,
        remote: RemoteRecord? = nil,
        attempts: Int = 1,
        shortenedTo: Int? = nil,
        continuedAt: Continuation? = nil
    ) {
        self.prompt = prompt
        self.run = run
        self.remote = remote
        self.attempts = attempts
        self.shortenedTo = shortenedTo
        self.continuedAt = continuedAt
    }

    private enum CodingKeys: String, CodingKey {
        case run, remote, attempts
        case cachedTokens = "cached_tokens"
        case continuedAt = "continued_at"
        case shortenedTo = "shortened_to"
    }

    /// Reads the stored form.
    /// - Throws: `DecodingError` if it is malformed.
    package init(from decoder: any Decoder) throws {
        prompt = try PromptReceipt(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        run = try container.decodeIfPresent(RunReceipt.self, forKey: .run)
        remote = try container.decodeIfPresent(RemoteRecord.self, forKey: .remote)
        attempts = try container.decodeIfPresent(Int.self, forKey: .attempts) ?? 1
        shortenedTo = try container.decodeIfPresent(Int.self, forKey: .shortenedTo)
        continuedAt = try container.decodeIfPresent(Continuation.self, forKey: .continuedAt)
    }

    /// Writes the stored form.
    /// - Throws: what the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        try prompt.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(run?.prompt.cached, forKey: .cachedTokens)
        try container.encodeIfPresent(run, forKey: .run)
        try container.encodeIfPresent(remote, forKey: .remote)
        try container.encode(attempts, forKey: .attempts)
        try container.encodeIfPresent(shortenedTo, forKey: .shortenedTo)
        try container.encodeIfPresent(continuedAt, forKey: .continuedAt)
    }
}
