// Counts a prompt's tokens before its message is stored, so that a message that cannot fit is
// refused.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop

extension RunDispatcher {
    /// The number of prompt tokens that fit into every model's context, whatever the answer's
    /// maximum length; nil if no model is loaded.
    var uncountedPromptTokens: Int? { pool?.contextLengthMin.map { $0 / 2 } }

    /// Counts the tokens of a prompt that must fit as a whole.
    /// - Parameters:
    ///   - request: the prompt, with the policy `refuse`.
    ///   - model: the name of its model.
    /// - Returns: the prompt.
    /// - Throws: `WireError.contextExceeded` if it does not fit; `.unavailable` if the model is not
    ///   ready.
    func count(_ request: PromptRequest, for model: String) async throws -> CountedPrompt {
        guard let pool, !pool.board.isWaiting(for: model) else {
            throw WireError(.unavailable, "the model is being loaded", retryAfter: 5)
        }
        let engine = try pool.engine(for: model)
        do {
            return CountedPrompt(
                prompt: try await build(request, by: engine.promptBuilder),
                model: engine.name,
                contextLength: engine.contextLength
            )
        } catch let error as PromptError {
            throw RunPreparation.wireError(error)
        }
    }

    /// Counts the tokens of prompts without a chat template, on a worker thread.
    /// - Parameters:
    ///   - prompts: the prompts with their texts.
    ///   - maxNewTokens: maximum length of an answer, in tokens.
    ///   - model: the name of their model.
    /// - Returns: the tokens of each.
    /// - Throws: `WireError.contextExceeded` if one does not fit; `.unavailable` if the model is not
    ///   ready.
    func tokenCounts(
        of prompts: [(RawPrompt, text: String)],
        maxNewTokens: Int,
        for model: String
    ) async throws -> [Int] {
        guard let pool, !pool.board.isWaiting(for: model) else {
            throw WireError(.unavailable, "the model is being loaded", retryAfter: 5)
        }
        let engine = try pool.engine(for: model)
        do {
            return try await promptWorkers.run {
                try prompts.map { raw, text in
                    let message = PromptMessage(id: nil, role: "user", text: text)
                    let prompt = try engine.prompt(raw, message, maxNewTokens: maxNewTokens)
                    return prompt.tokens.count
                }
            }
        } catch let error as PromptError {
            throw RunPreparation.wireError(error)
        }
    }

    /// Counts a prompt's tokens on a worker thread. If its model is not loaded, nothing is checked,
    /// and the answer fails later if the prompt is too long.
    /// - Parameters:
    ///   - prompt: the prompt to check.
    ///   - user: the user who sends the message.
    /// - Throws: `WireError.contextExceeded` if it does not fit.
    func require(fitting prompt: UncertainPrompt, by user: User) async throws {
        guard let pool, !pool.board.isWaiting(for: prompt.model),
            let model = try? pool.engine(for: prompt.model)
        else { return }
        let encode = model.encode
        let continued = prompt.continued
        var continuedTokens = 0
        if !continued.isEmpty {
            continuedTokens = try await promptWorkers.run { encode(continued).count }
        }
        let request = try await store.context.promptRequest(
            of: prompt,
            by: user,
            messageLimit: model.messageLimit,
            answerTokens: configuration.maxTokens,
            continuedTokens: continuedTokens
        )
        let builder = model.promptBuilder
        do {
            _ = try await build(request, by: builder)
        } catch let error as PromptError {
            throw RunPreparation.wireError(error)
        }
    }

    /// Builds a prompt; a long one on a worker thread, since it must not delay the loop.
    /// - Throws: `PromptError`.
    func build(_ request: PromptRequest, by builder: PromptBuilder) async throws -> Prompt {
        if request.textByteCount <= configuration.promptBytesOnLoop {
            return try builder.build(request)
        }
        return try await promptWorkers.run { try builder.build(request) }
    }
}

extension PromptRequest {
    /// The length of the texts, in bytes.
    fileprivate var textByteCount: Int {
        let head =
            systemPrompt.utf8.count + (tools?.utf8.count ?? 0)
            + (summary?.text.utf8.count ?? 0)
        return branch.reduce(head) { $0 + $1.text.utf8.count + ($1.calls?.utf8.count ?? 0) }
    }
}
