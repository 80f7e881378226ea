// Storing turns, for sessions and for requests of OpenAI's API.

import ChatCore
import ChatProtocol
import ChatStore
import Traces
import Tracing

extension SessionServices {
    /// Stores a turn within the limits of the queue. Counts its prompt's tokens first if it may be
    /// too long for the model. If slots are free and nobody waits for one, the transaction also
    /// claims the answers.
    /// - Parameters:
    ///   - user: who asks.
    ///   - answerCount: the number of answers.
    ///   - store: stores the turn.
    /// - Returns: the stored turn.
    /// - Throws: what `store` throws; `WireError.contextExceeded`.
    func storeTurn<Reply>(
        of user: User,
        answerCount: Int = 1,
        _ store: (QueueLimits) async throws -> Committed<Reply>
    ) async throws -> Committed<Reply> {
        guard let span = traces?.part("commit") else {
            return try await storeTurn(of: user, answerCount: answerCount, in: nil, store)
        }
        defer { span.end() }
        let trace = ServiceContext.current?.trace.map {
            QueuedTrace(parent: $0.parent, state: $0.state)
        }
        return try await storeTurn(of: user, answerCount: answerCount, in: trace, store)
    }

    private func storeTurn<Reply>(
        of user: User,
        answerCount: Int,
        in trace: QueuedTrace?,
        _ store: (QueueLimits) async throws -> Committed<Reply>
    ) async throws -> Committed<Reply> {
        try await withHonestRetry(of: user.id) {
            var limits = queueLimits
            limits.trace = trace
            let offer = dispatcher.offerSlots(atMost: answerCount)
            defer { dispatcher.withdraw(offer) }
            limits.freeSlots = offer
            do { return try await store(limits) } catch let prompt as UncertainPrompt {
                try await dispatcher.require(fitting: prompt, by: user)
                limits.uncountedPromptTokens = nil
                return try await store(limits)
            }
        }
    }

    /// Broadcasts new messages to subscribers and the members' lists, and queues their answers;
    /// nothing if the request repeated an earlier one.
    /// - Parameters:
    ///   - committed: the stored turn.
    ///   - conversation: its conversation.
    ///   - counted: the prompt of its answers, if it was built already.
    func tellTurn<Reply>(
        _ committed: Committed<Reply>,
        in conversation: ConversationID,
        counted: CountedPrompt? = nil
    ) {
        let span = traces?.part("fan-out")
        hub.publish(committed.events, in: conversation)
        span?.attributes["stoa.subscribers"] = hub.watcherCount(of: conversation)
        span?.end()
        dispatcher.enqueue(committed.queued, counted: counted)
        guard !committed.events.isEmpty else { return }
        nodes.bus.send(.queue(sender: nodes.bus.node))
    }
}
