// Commits the outcomes of runs, however long the database is unavailable.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Postgres

extension RunDispatcher {
    /// Ends a run whose outcome is known.
    func end(_ run: ActiveRun, _ outcome: RunOutcome) {
        run.outcome = outcome
        run.trace?.end(with: outcome)
        // The engine's slot is free already: storing needs only the database.
        if run.generation != nil, let arrival = run.stopArrival {
            run.stopReport = StopReport(latencyMilliseconds: (loop.now - arrival).milliseconds)
        }
        handle(.outcome, of: run)
    }

    /// Commits the outcome of a run, however long the database is unavailable: no one else has the
    /// text.
    func store(_ run: ActiveRun) async {
        let (claim, outcome) = (run.claim, run.outcome ?? run.stoppedOutcome)
        var event: ServerEvent?
        var pause = Duration.milliseconds(100)
        run.trace?.begin(.store)
        while true {
            do {
                event = try await store.runs.finish(claim, outcome)
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
                break
            }
        }
        if let event {
            run.trace?.beginFanOut(to: hub.watcherCount(of: claim.conversation))
            // Readers here have no text of a run that generated none here: send it whole.
            let live = hub.liveAnswer(claim.message, in: claim.conversation)
            let published = live?.run == claim.run ? event : event.repeating(outcome.text)
            hub.publish([published.reporting(run.stopReport)], in: claim.conversation)
        }
        run.trace?.end()
        if configuration.makesTitles, run.awaitsTitle, case .messageCompleted = event {
            idleWork.add(TitleTask(conversation: claim.conversation))
        }
        queue.finished(claim.message, outcome)
        handle(event == nil ? .refused : .stored, of: run)
    }
}

extension ServerEvent {
    /// The event with the whole text, for readers who have the text of another run.
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

    /// The event with the latency of the run's stop request.
    fileprivate func reporting(_ stop: StopReport?) -> ServerEvent {
        guard let stop, case .messageStopped(var ended) = self else { return self }
        ended.stop = stop
        return .messageStopped(ended)
    }
}
