// What the database keeps about how an answer was made. docs/receipts.md explains it.

import ChatCore
import Inference

/// What the model was given, and the engine's record of the run, as one JSON object.
struct AnswerReceipt: Encodable, Sendable {
    /// Which messages the model was given, and how many were left out. Its members stand at the top.
    let prompt: PromptReceipt
    /// The engine's record: of the prompt it has a hash; the messages are in the database already.
    /// Nil where the engine failed, or never began.
    let run: RunReceipt?

    private enum CodingKeys: String, CodingKey {
        case run
    }

    func encode(to encoder: any Encoder) throws {
        try prompt.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(run, forKey: .run)
    }
}
