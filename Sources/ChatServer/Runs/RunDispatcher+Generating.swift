// Submits prepared runs to an engine, and broadcasts the text that it generates.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
package import Inference
import Logging

extension RunDispatcher {
    /// Submits a prepared run to its engine, and broadcasts that it has started.
    func submit(_ run: ActiveRun) {
        guard let pool, let prepared = run.prepared else { return }
        run.prepared = nil
        let (claim, start, model) = (run.claim, prepared.start, prepared.model)
        let room = min(
            prepared.prompt.maxNewTokens,
            model.contextLength - prepared.prompt.tokens.count
        )
        guard start.tokens.count <= room else {
            // The answer may already have more tokens than it is allowed now.
            return end(run, RunOutcome(text: start.text, state: .complete, finish: .length))
        }
        let traceFields = run.trace?.beginEngine(
            model.name,
            isRemote: pool.isRemote(model.name)
        )
        do {
            let request = try pool.submit(
                prepared.prompt,
                answerPrefix: start.tokens,
                answerText: start.text,
                givenCount: start.bodyTokenCount,
                stopStrings: prepared.stopStrings,
                sampling: prepared.sampling,
                topLogprobs: prepared.topLogprobs,
                constraint: prepared.constraint,
                thinkingTokensMax: prepared.thinkingTokensMax,
                // Response times must not reveal other conversations' prompts through a shared
                // cache.
                cacheScope: "\(claim.conversation)",
                traceFields: traceFields ?? [:],
                to: model
            )
            run.generate(
                ActiveRun.Generation(
                    receipt: prepared.prompt.receipt,
                    engine: model.engine,
                    request: request,
                    identity: model.identity,
                    shortenedTo: prepared.shortenedTo,
                    vocabulary: model.vocabulary,
                    start: start
                )
            )
            runs.index(run, by: request)
            announce(claim, start)
        } catch {
            preparation.fail(run, error)
        }
    }

    private func announce(_ claim: ClaimedRun, _ start: ActiveRun.Start) {
        hub.startAnswer(
            LiveAnswer(
                conversation: claim.conversation,
                message: claim.message,
                run: claim.run,
                text: start.text,
                base: start.base,
                createdN: claim.createdN
            )
        )
        if start.isTakeover {
            hub.broadcast(
                .messageRestarted(
                    MessageRestarted(
                        conversation: claim.conversation,
                        message: claim.message,
                        run: claim.run,
                        at: start.text.utf8.count
                    )
                ),
                in: claim.conversation
            )
        }
    }

    // MARK: Engine events

    /// Applies the events of an engine's last step.
    package func receive(_ events: [TokenEvent]) {
        for event in events where !idleWork.take(event) {
            figures.take(event)
            guard let run = runs[request: event.id] else { continue }
            positions.note(event, of: run)
            run.cost.take(event)
            figures.count(event, of: run.model)
            run.trace?.note(event)
            take(event, of: run)
        }
    }

    private func take(_ event: TokenEvent, of run: ActiveRun) {
        let claim = run.claim
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            let receipt = run.generation?.receipt
            broadcast(
                .messageStarted(
                    MessageStarted(
                        conversation: claim.conversation,
                        message: claim.message,
                        run: claim.run,
                        promptTokens: promptTokens,
                        cachedTokens: cachedTokens,
                        droppedMessages: receipt?.droppedMessages ?? 0,
                        summarizedMessages: receipt?.summarized?.count
                    )
                ),
                of: run
            )
        case .progress(_, let done, let total):
            broadcastProgress(of: run, done: done, total: total)
        case .text(_, let text, let tokens, let sampled):
            grow(run, text, tokens, sampled)
        case .finished(_, let completion):
            end(run, run.outcome(of: completion))
        case .failed(_, let error):
            logger.error("engine failed", metadata: ["error": "\(error)"])
            end(run, run.outcome(failing: Self.wireError(error)))
        }
    }

    /// The error for the user. A remote engine says why in words for users.
    private static func wireError(_ error: EngineError) -> WireError {
        if case .remote(_, _, let userText) = error { return WireError(.engineFailed, userText) }
        if case .invalidRequest(let reason) = error {
            return WireError(.engineFailed, "the engine cannot generate this answer: \(reason)")
        }
        return WireError(.engineFailed, "the engine failed while generating this answer")
    }

    private func grow(
        _ run: ActiveRun,
        _ text: String,
        _ tokens: [Int32],
        _ sampled: [SampledToken]
    ) {
        // PostgreSQL cannot store this character.
        let text = text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
        run.append(text, tokens, sampled)
        hub.append(text, to: run.claim.message, in: run.claim.conversation)
        checkpoints.storeSoon(run.claim.conversation)
    }

    /// Broadcasts how much of a run's prompt has been read.
    func broadcastProgress(of run: ActiveRun, done: Int, total: Int) {
        broadcast(
            .messageProgress(
                MessageProgress(
                    conversation: run.claim.conversation,
                    message: run.claim.message,
                    done: done,
                    total: total
                )
            ),
            of: run
        )
    }

    /// Broadcasts a run's state to subscribers on all nodes.
    private func broadcast(_ event: ServerEvent, of run: ActiveRun) {
        let claim = run.claim
        if run.state.isGenerating { peers.note(event, of: claim.run, message: claim.message) }
        hub.broadcast(event, in: claim.conversation)
    }
}
