// Prompts that are counted before their question is stored: what cannot fit is refused, not acknowledged.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Tokenizers

extension RunDispatcher {
    /// Prompts up to so many tokens fit into every model's context, however long the answer may be; nil
    /// while no model is loaded.
    var uncountedPromptTokens: Int? { pool?.contextLengthMin.map { $0 / 2 } }

    /// Counts a prompt beside the loop. Where its model is not loaded, nothing is known, and the answer
    /// fails later if the prompt is too long.
    /// - Parameters:
    ///   - prompt: what may be too long.
    ///   - user: who asks.
    /// - Throws: `WireError.contextExceeded` where it does not fit.
    func require(fitting prompt: UncertainPrompt, by user: User) async throws {
        guard let pool, !pool.board.isWaiting(for: prompt.model),
            let model = try? pool.engine(for: prompt.model)
        else { return }
        let tokenizer = model.tokenizer
        let continued = prompt.continued
        var continuedTokens = 0
        if !continued.isEmpty {
            continuedTokens = try await promptWorkers.run {
                tokenizer.encode(continued, specialTokens: .asText).count
            }
        }
        let request = try await store.promptRequest(
            of: prompt,
            by: user,
            messageLimit: model.messageLimit,
            answerTokens: configuration.maxTokens,
            continuedTokens: continuedTokens
        )
        let builder = model.promptBuilder
        do {
            _ = try await promptWorkers.run { try builder.build(request) }
        } catch let error as PromptError {
            throw RunPreparation.wireError(error)
        }
    }
}
