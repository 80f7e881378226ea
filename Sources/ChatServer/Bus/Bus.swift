// Notifications between nodes. A bus carries ids, never contents, and may lose any of them: a
// notified node reads the database, and every node polls it from time to time. Another transport
// than PostgreSQL can therefore carry the notifications without other changes.

package import ChatStore
package import FoundationEssentials

/// What a bus reports to its node.
package enum BusNews {
    /// Another node reports a change.
    case wakeUp(WakeUp)
    /// Notifications may have been lost: check everything.
    case missed
}

/// One node's connection to the others. Lives on the node's loop.
package protocol Bus: CommitObserver {
    /// This process's node id.
    var node: UUID { get }
    /// Whether notifications arrive at present. If not, the node has to poll more often.
    var isHearing: Bool { get }
    /// Whether another node is known to be alive.
    var hasOthers: Bool { get }

    /// Starts to send and receive.
    /// - Parameter receive: called on the loop with each report, until the bus stops.
    func start(_ receive: @escaping (BusNews) -> Void)
    /// Deregisters the node and stops.
    func stop() async
    /// Notifies the nodes that a change concerns; soon, together with other notifications.
    func send(_ wakeUp: WakeUp)
    /// Subscribes this node to notifications of a conversation or a user.
    /// - Returns: once the subscription is registered, or the database is unavailable.
    func watch(_ topic: UUID) async
    /// Changes this node's subscriptions soon, without waiting for it.
    func change(watching: Set<UUID>, ended: Set<UUID>)
}

extension Bus {
    /// Notifies the nodes that have subscribers of conversations with new events.
    package func committed(_ changes: CommittedChanges) {
        for conversation in changes.eventsWatchedElsewhere { send(.events(conversation)) }
    }
}

/// The bus of a single node: sends nothing.
package final class SoloBus: Bus {
    package let node: UUID
    package let isHearing = true
    package let hasOthers = false

    package init(node: UUID = UUID()) {
        self.node = node
    }

    package func start(_ receive: @escaping (BusNews) -> Void) {}
    package func stop() async {}
    package func send(_ wakeUp: WakeUp) {}
    package func watch(_ topic: UUID) async {}
    package func change(watching: Set<UUID>, ended: Set<UUID>) {}
}
