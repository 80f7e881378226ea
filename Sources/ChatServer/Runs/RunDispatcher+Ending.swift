// How an answer ends: its final text stored, however long the database is away.

import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Postgres

extension RunDispatcher {
    /// Stores an end, however long the database is away: the text exists nowhere else.
    func end(_ claim: ClaimedRun, _ outcome: RunOutcome) async {
        ending.insert(claim.message)
        wake()
        var pause = Duration.milliseconds(100)
        while true {
            do {
                if let event = try await store.finish(claim, outcome) {
                    hub.publish([event], in: claim.conversation)
                } else {
                    hub.dropAnswer(claim.message, in: claim.conversation)
                }
                break
            } catch let error as PostgresError where error.isPassing {
                logger.warning("an answer waits for the database", metadata: ["error": "\(error)"])
                do { try await loop.sleep(for: pause) } catch { break }
                pause = min(pause * 2, .seconds(2))
            } catch {
                logger.error("an answer could not be stored", metadata: ["error": "\(error)"])
                hub.dropAnswer(claim.message, in: claim.conversation)
                break
            }
        }
        claims.remove(claim.message)
        ending.remove(claim.message)
        wake()
    }

    /// Tells those who wait how many are before them; at most four times a second.
    func tellPlaces() async {
        guard !placesAreDue else { return }
        placesAreDue = true
        defer { placesAreDue = false }
        guard let places = try? await store.waitingPlaces(limit: 200) else { return }
        for place in places {
            hub.tell(
                .messageQueued(
                    MessageQueued(
                        conversation: place.conversation,
                        message: place.message,
                        position: place.position,
                        model: pool?.awaited(by: place.model)
                    )
                ),
                in: place.conversation
            )
        }
        if !places.isEmpty { try? await loop.sleep(for: .milliseconds(250)) }
    }
}
