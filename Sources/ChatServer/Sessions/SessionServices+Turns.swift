// Storing turns, for sessions and for requests of OpenAI's API.

import ChatCore
import ChatProtocol
import ChatStore
import Traces
import Tracing

extension SessionServices {
    /// Stores a turn within the limits of the queue. Counts its prompt's tokens first if it may be
    /// too long for the model.
    func storeTurn<Reply>(
        of user: User,
        _ store: (QueueLimits) async throws -> Committed<Reply>
    ) async throws -> Committed<Reply> {
        guard let span = traces?.part("commit") else {
            return try await storeTurn(of: user, in: nil, store)
        }
        defer { span.end() }
        let trace = ServiceContext.current?.trace.map {
            QueuedTrace(parent: $0.parent, state: $0.state)
        }
        return try await storeTurn(of: user, in: trace, store)
    }

    private func storeTurn<Reply>(
        of user: User,
        in trace: QueuedTrace?,
        _ store: (QueueLimits) async throws -> Committed<Reply>
    ) async throws -> Committed<Reply> {
        try await withHonestRetry(of: user.id) {
            var limits = queueLimits
            limits.trace = trace
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
        let span = traces?.part("fan-out")
        hub.publish(committed.events, in: conversation)
        span?.attributes["stoa.subscribers"] = hub.watcherCount(of: conversation)
        span?.end()
        dispatcher.enqueue(committed.queued)
        guard !committed.events.isEmpty else { return }
        nodes.bus.send(.queue(sender: nodes.bus.node))
    }
}
