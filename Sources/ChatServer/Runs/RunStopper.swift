// The only way to end a run early, whatever its phase and on whichever node.

package import ChatProtocol
package import ChatStore
import EventLoop
package import Logging

/// Why a run is ended early.
package enum StopReason: Sendable, Hashable {
    /// A user who may write in its conversation requested it, having read the text up to this UTF-8
    /// byte; nil for all of the text.
    case requested(seen: Int?)
    /// An administrator requested it.
    case administrator
    /// The client of OpenAI's API that waits for it has closed its connection.
    case connectionClosed
    /// The user who requested the answer may no longer do so.
    case revoked
    /// Its message was deleted.
    case deleted

    /// The byte at which the text ends; nil for all of it.
    var seen: Int? {
        if case .requested(let seen) = self { seen } else { nil }
    }
}

/// Ends runs on all nodes. Lives on its node's loop.
package final class RunStopper {
    private let store: Store
    private let hub: ConversationHub
    private let dispatcher: RunDispatcher
    private let bus: any Bus
    private let logger: Logger

    package init(
        store: Store,
        hub: ConversationHub,
        dispatcher: RunDispatcher,
        bus: any Bus,
        logger: Logger
    ) {
        self.store = store
        self.hub = hub
        self.dispatcher = dispatcher
        self.bus = bus
        self.logger = logger
    }

    /// Ends the run of a message as `stopped`; a run that has ended is not changed. A queued run
    /// has ended when this returns. For other runs the stop request is persisted, so that it
    /// outlives their node.
    /// - Parameters:
    ///   - message: the message.
    ///   - conversation: its conversation.
    ///   - reason: why it is stopped.
    ///   - arrival: when the request arrived; nil for now.
    /// - Throws: `PostgresError`, if the run is not this node's.
    package func stop(
        _ message: MessageID,
        in conversation: ConversationID,
        for reason: StopReason,
        askedAt arrival: ContinuousClock.Instant? = nil
    ) async throws {
        logger.debug(
            "stopping run",
            metadata: ["message": "\(message)", "reason": "\(reason)"]
        )
        // Stop this node's engine first: the database takes longer.
        let isHere = dispatcher.stop(message, seen: reason.seen, askedAt: arrival)
        do {
            guard try await store.queue.requestStop(message, seen: reason.seen) else { return }
        } catch  where isHere {
            // The database is unavailable; the outcome will be stored once it is available again.
            return
        }
        if isHere { return }
        if let event = try await store.runs.stopWaiting(
            message,
            in: conversation,
            seen: reason.seen
        ) {
            dispatcher.forget(message)
            hub.publish([event], in: conversation)
        } else if !dispatcher.stop(message, seen: reason.seen, askedAt: arrival) {
            // Another node has it, or had it until it died: the node that resumes it ends it.
            bus.send(.stop(message))
        }
    }
}
