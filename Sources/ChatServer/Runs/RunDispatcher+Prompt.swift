// What a run's model is given: built from what the database holds, beside the loop.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop

extension RunDispatcher {
    /// Builds a prompt beside the loop: a long history takes a while to tokenise, and nobody else
    /// shall wait for it.
    /// - Parameters:
    ///   - input: what the database holds.
    ///   - model: which model reads it.
    ///   - room: how many tokens the answer had before its first run.
    /// - Returns: the prompt with its receipt.
    /// - Throws: `PromptError`.
    func prompt(
        of input: RunInput,
        for model: ModelEngine,
        room: Int
    ) async throws -> Prompt {
        let builder = model.promptBuilder
        let request = PromptRequest(
            systemPrompt: input.systemPrompt,
            systemPromptVersion: input.systemPromptVersion,
            policy: input.policy,
            summary: input.summary,
            branch: input.branch,
            olderMessageCount: input.olderMessageCount,
            firstMessage: input.firstMessage,
            maxNewTokens: room
                + (input.shortenedTo ?? input.settings.maxTokens ?? configuration.maxTokens)
        )
        summaries.makeRoom()
        let prompt = try await promptWorkers.run { try builder.build(request) }
        summaries.note(
            prompt,
            in: input.conversation,
            limit: builder.promptLimit(maxNewTokens: request.maxNewTokens)
        )
        return prompt
    }

    /// Slots of the pool that neither answers nor a summary have; below zero where an answer waits
    /// for that of a summary.
    var freeSlotCount: Int {
        guard let pool else { return 0 }
        return pool.slots - occupyingCount - (summaries.isMaking ? 1 : 0)
    }

    /// Answers that have a slot, or will have it as soon as they are prepared.
    var occupyingCount: Int { claims.subtracting(ending).subtracting(stopping).count }

    /// What the asker is told where there is no prompt.
    static func wireError(_ error: PromptError) -> WireError {
        switch error {
        case .newestTurnTooLong(let tokens, let limit):
            WireError(
                .contextExceeded,
                "the system prompt and your message take \(tokens) tokens; beside the answer the "
                    + "model has room for \(limit): shorten them, or ask for a shorter answer"
            )
        case .historyTooLong(let messages, let tokens, let fitting, let limit):
            WireError(
                .contextExceeded,
                "this conversation's \(messages) messages take \(tokens) tokens or more; beside the "
                    + "answer the model has room for \(limit), into which the newest \(fitting) fit, "
                    + "and the conversation is set to refuse then: begin a new conversation, or let "
                    + "the oldest messages be left out or summarized"
            )
        }
    }
}
