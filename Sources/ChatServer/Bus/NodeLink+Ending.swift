// Ending answers that somebody has lost the right to, whoever makes them.

package import ChatProtocol
import ChatStore

extension NodeLink {
    /// Ends the answers that wait or grow for users who may not write there any more: they end as
    /// `stopped`. What another node makes is ended by it.
    /// - Parameter user: whose; nil for everybody's.
    package func endAnswersWithoutRight(of user: UserID? = nil) async {
        // Where the database is away, the next look tries again.
        guard let answers = try? await store.answersWithoutRight(of: user) else { return }
        for answer in answers { try? await end(answer) }
    }

    private func end(_ answer: UnfinishedAnswer) async throws {
        if dispatcher.stop(answer.message, seen: nil) {
            // The wish outlives this server, should it die before the end is stored.
            _ = try await store.requestStop(answer.message, seen: nil)
            return
        }
        if let event = try await store.stopWaiting(answer.message, in: answer.conversation) {
            dispatcher.forget(answer.message)
            hub.publish([event], in: answer.conversation)
        } else if !dispatcher.stop(answer.message, seen: nil) {
            try await stop(answer.message, seen: nil)
        }
    }
}
