// Storing turns, for sessions and for requests of OpenAI's API.

import ChatCore
import ChatProtocol
import ChatStore

extension SessionServices {
    /// Stores a turn within the limits of the queue. Counts its prompt's tokens first if it may be
    /// too long for the model.
    func storeTurn<Reply>(
        of user: User,
        _ store: (QueueLimits) async throws -> Committed<Reply>
    ) async throws -> Committed<Reply> {
        try await withHonestRetry(of: user.id) {
            var limits = queueLimits
            do { return try await store(limits) } catch let prompt as UncertainPrompt {
                try await dispatcher.require(fitting: prompt, by: user)
                limits.uncountedPromptTokens = nil
                return try await store(limits)
            }
        }
    }

    /// Broadcasts new messages to subscribers and the members' lists, and queues their answers;
    /// nothing if the request repeated an earlier one.
    func tellTurn<Reply>(_ committed: Committed<Reply>, in conversation: ConversationID) {
        hub.publish(committed.events, in: conversation)
        dispatcher.enqueue(committed.queued)
        guard !committed.events.isEmpty else { return }
        nodes.bus.send(.queue(sender: nodes.bus.node))
    }
}
