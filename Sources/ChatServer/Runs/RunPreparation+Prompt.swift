// Builds a run's prompt from its input.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop

extension RunPreparation {
    /// Builds a prompt; a long one on a worker thread: tokenizing it takes time, and must not delay
    /// the event loop.
    /// - Parameters:
    ///   - input: the history.
    ///   - model: the model that answers.
    ///   - room: how many tokens the answer had before its first run.
    ///   - counted: the prompt, if it was built when the turn was stored.
    /// - Returns: the prompt with its receipt.
    /// - Throws: `PromptError`.
    func prompt(
        of input: RunInput,
        for model: ModelEngine,
        room: Int,
        counted: CountedPrompt?
    ) async throws -> Prompt {
        if let counted, counted.suits(input, model, room: room) {
            dispatcher.idleWork.makeRoom()
            return counted.prompt
        }
        let maxNewTokens =
            room
            + (input.shortenedTo ?? input.settings.maxTokens
                ?? dispatcher.configuration.maxTokens)
        if let raw = input.rawPrompt, let question = input.branch.last {
            dispatcher.idleWork.makeRoom()
            return try await dispatcher.promptWorkers.run {
                try model.prompt(raw, question, maxNewTokens: maxNewTokens)
            }
        }
        let builder = model.promptBuilder
        let request = PromptRequest(
            systemPrompt: input.systemPrompt,
            systemPromptVersion: input.systemPromptVersion,
            tools: input.options.tools?.definitions,
            policy: input.policy,
            summary: input.summary,
            branch: input.branch,
            olderMessageCount: input.olderMessageCount,
            firstMessage: input.firstMessage,
            maxNewTokens: maxNewTokens
        )
        dispatcher.idleWork.makeRoom()
        let prompt = try await dispatcher.build(request, by: builder)
        let summary = SummaryTask(
            of: prompt,
            in: input.conversation,
            limit: builder.promptLimit(maxNewTokens: request.maxNewTokens)
        )
        if let summary { dispatcher.idleWork.add(summary) }
        return prompt
    }

    /// The error for the user if no prompt can be built.
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
