// What an engine's steps bring to the watchers of the answers that it makes.

import ChatCore
package import ChatProtocol
import ChatStore
import EventLoop
package import Inference
import Logging

extension RunDispatcher {
    /// Takes what the engine's last step brought.
    package func receive(_ events: [TokenEvent]) {
        for event in events where !summaries.take(event) {
            note(event)
            figures.take(event)
            runs[event.id]?.cost.take(event)
            switch event {
            case .started(let id, let promptTokens, let cachedTokens):
                guard let run = runs[id] else { continue }
                hub.tell(
                    .messageStarted(
                        MessageStarted(
                            conversation: run.claim.conversation,
                            message: run.claim.message,
                            run: run.claim.run,
                            promptTokens: promptTokens,
                            cachedTokens: cachedTokens,
                            droppedMessages: run.receipt.droppedMessages,
                            summarizedMessages: run.receipt.summarized?.count
                        )
                    ),
                    in: run.claim.conversation
                )
            case .progress(let id, let done, let total):
                guard let run = runs[id] else { continue }
                hub.tell(
                    .messageProgress(
                        MessageProgress(
                            conversation: run.claim.conversation,
                            message: run.claim.message,
                            done: done,
                            total: total
                        )
                    ),
                    in: run.claim.conversation
                )
            case .text(let id, let text, let tokens):
                grow(id, text, tokens)
            case .finished(let id, let completion):
                complete(id) { $0.outcome(completion) }
            case .failed(let id, let error):
                logger.error("engine failed", metadata: ["error": "\(error)"])
                complete(id) {
                    $0.outcome(
                        WireError(.engineFailed, "the engine failed while generating this answer")
                    )
                }
            }
        }
    }

    private func grow(_ request: UInt64, _ text: String, _ tokens: [Int32]) {
        // What comes after the last keeping is made again by whoever goes on.
        guard !isReleasing || runs[request]?.stop != nil else { return }
        // Not the whole run: while there is a second one, adding to its text copies all of that.
        guard let claim = runs[request]?.claim else { return }
        // PostgreSQL has no text with this character.
        let text = text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
        runs[request]?.text += text
        runs[request]?.unkept.append(text, tokens)
        hub.append(text, to: claim.message, in: claim.conversation)
        keepSoon(claim.conversation)
    }

    private func complete(_ request: UInt64, _ outcome: (ActiveRun) -> RunOutcome) {
        guard let run = runs.removeValue(forKey: request) else { return }
        guard !isReleasing || run.stop != nil else { return }
        let outcome = outcome(run)
        // The engine's slot is free: what follows is the database's time.
        let stop = run.stop.map {
            StopReport(latencyMilliseconds: (loop.now - $0.askedAt).milliseconds)
        }
        loop.spawn { [self] in await end(run.claim, outcome, stop: stop) }
    }

    /// Stops an answer that is being made here.
    /// - Returns: whether it is.
    package func stop(
        _ message: MessageID,
        seen: Int?,
        askedAt: ContinuousClock.Instant? = nil
    ) -> Bool {
        guard let run = runs.values.first(where: { $0.claim.message == message }) else {
            guard claims.contains(message), !ending.contains(message) else { return false }
            if stopsBeforeStart[message] == nil {
                stopsBeforeStart[message] = ActiveRun.Stop(
                    seen: seen,
                    askedAt: askedAt ?? loop.now
                )
            }
            beginSuspect(message)
            return true
        }
        if run.stop == nil {
            runs[run.request]?.stop = ActiveRun.Stop(seen: seen, askedAt: askedAt ?? loop.now)
        }
        run.cancel()
        stopping.insert(message)
        claim()
        return true
    }

    /// Begins a suspect that waits for others, so that it ends: no engine gets it.
    private func beginSuspect(_ message: MessageID) {
        guard let index = waitingSuspects.firstIndex(where: { $0.message == message }), let pool
        else { return }
        let claim = waitingSuspects.remove(at: index)
        loop.spawn { [self] in await beginNow(claim, with: pool) }
    }

    /// Stops all answers of a conversation that was deleted.
    func stopAll(in conversation: ConversationID) {
        for run in runs.values where run.claim.conversation == conversation {
            _ = stop(run.claim.message, seen: nil)
        }
    }
}
