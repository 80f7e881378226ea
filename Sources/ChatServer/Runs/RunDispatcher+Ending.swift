// How an answer ends: its final text stored, however long the database is away.

import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Postgres

extension RunDispatcher {
    /// Stores an end, however long the database is away: the text exists nowhere else.
    func end(_ claim: ClaimedRun, _ outcome: RunOutcome, stop: StopReport? = nil) async {
        ending.insert(claim.message)
        self.claim()
        var pause = Duration.milliseconds(100)
        while true {
            do {
                if let event = try await store.finish(claim, outcome) {
                    // Of a run that never began to grow here, readers know nothing.
                    let live = hub.liveAnswer(claim.message, in: claim.conversation)
                    let told = live?.run == claim.run ? event : event.repeating(outcome.text)
                    hub.publish([told.reporting(stop)], in: claim.conversation)
                } else {
                    letGo(claim)
                }
                break
            } catch let error as PostgresError where error.isTransient {
                logger.warning(
                    "database unavailable; response will be stored on reconnect",
                    metadata: ["error": "\(error)"]
                )
                do { try await loop.sleep(for: pause) } catch { break }
                pause = min(pause * 2, .seconds(2))
            } catch {
                logger.error("storing the response failed", metadata: ["error": "\(error)"])
                letGo(claim)
                break
            }
        }
        mirror.finish(
            claim.message,
            tokens: outcome.usage.map { $0.promptTokens - $0.cachedTokens + $0.completionTokens }
        )
        leave(claim.message)
        ending.remove(claim.message)
        self.claim()
    }
}

extension ServerEvent {
    /// The event with the whole text, for readers who have that of another run.
    fileprivate func repeating(_ text: String) -> ServerEvent {
        switch self {
        case .messageCompleted(var ended):
            ended.text = text
            return .messageCompleted(ended)
        case .messageStopped(var ended):
            ended.text = text
            return .messageStopped(ended)
        case .messageFailed(var ended):
            ended.text = text
            return .messageFailed(ended)
        default: return self
        }
    }

    /// The event with how fast its answer ended, where that was stopped.
    fileprivate func reporting(_ stop: StopReport?) -> ServerEvent {
        guard let stop, case .messageStopped(var ended) = self else { return self }
        ended.stop = stop
        return .messageStopped(ended)
    }
}
