// The one way to end a run early, wherever it is: queued, prepared or generated here, or on another node.

package import ChatProtocol
package import ChatStore
import EventLoop
package import Logging

/// Why a run is to end early.
package enum StopReason: Sendable, Hashable {
    /// Somebody who may write in its conversation asked for that, whose text had got to so many UTF-8
    /// bytes; nil for all of the text.
    case requested(seen: Int?)
    /// An administrator asked for that.
    case administrator
    /// Whoever asked the question may not ask there any more.
    case revoked
    /// Its message was deleted.
    case deleted

    /// The byte at which its text ends; nil for all of it.
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

    /// Ends the run of a message as `stopped`; one that has ended stays as it is. A queued one has ended when
    /// this returns. For the others the request is persisted, so that it outlives the node that has them.
    /// - Parameters:
    ///   - message: whose run.
    ///   - conversation: where.
    ///   - reason: why.
    ///   - arrival: when that was asked for; nil for now.
    /// - Throws: `PostgresError`, where the run is not this node's.
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
        // An engine here first: the database takes longer.
        let isHere = dispatcher.stop(message, seen: reason.seen, askedAt: arrival)
        do {
            guard try await store.requestStop(message, seen: reason.seen) else { return }
        } catch  where isHere {
            // The database is unavailable: the end itself waits for it.
            return
        }
        if isHere { return }
        if let event = try await store.stopWaiting(message, in: conversation, seen: reason.seen) {
            dispatcher.forget(message)
            hub.publish([event], in: conversation)
        } else if !dispatcher.stop(message, seen: reason.seen, askedAt: arrival) {
            // Another node has it, or had it until it died: whoever resumes it ends it.
            bus.send(.stop(message))
        }
    }
}
