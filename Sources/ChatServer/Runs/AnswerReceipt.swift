// What the database keeps about how an answer was made. docs/receipts.md explains it.

package import ChatCore
package import Inference

/// What the model was given, and the engine's record of the run, as one JSON object.
package struct AnswerReceipt: Codable, Sendable {
    /// Which messages the model was given, and which were left out. Its members stand at the top.
    package let prompt: PromptReceipt
    /// The engine's record: of the prompt it has a hash; the messages are in the database already.
    /// Nil where the engine failed, or never began.
    package let run: RunReceipt?

    init(prompt: PromptReceipt, run: RunReceipt?) {
        self.prompt = prompt
        self.run = run
    }

    private enum CodingKeys: String, CodingKey {
        case run
        case cachedTokens = "cached_tokens"
    }

    /// Reads what a server stored.
    /// - Throws: `DecodingError` where it is something else.
    package init(from decoder: any Decoder) throws {
        prompt = try PromptReceipt(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        run = try container.decodeIfPresent(RunReceipt.self, forKey: .run)
    }

    /// Writes the form that is stored.
    /// - Throws: what the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        try prompt.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(run?.prompt.cached, forKey: .cachedTokens)
        try container.encodeIfPresent(run, forKey: .run)
    }
}
