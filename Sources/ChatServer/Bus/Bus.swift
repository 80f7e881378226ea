// How nodes notify each other: a bus carries ids, never contents, and may lose any of them. Who is notified reads
// the database; who is not, looks there once in a while. So something else than PostgreSQL can carry the
// notifications without anything else changing.

package import ChatStore
package import FoundationEssentials

/// What a bus brings its node.
package enum BusNews {
    /// Another node says that something has changed.
    case wakeUp(WakeUp)
    /// Notifications may have been lost until now: look at everything.
    case missed
}

/// One node's connection to the others. Lives on the node's loop.
package protocol Bus: CommitObserver {
    /// This node, for as long as it lives.
    var node: UUID { get }
    /// Whether notifications arrive at present. Where they don't, looking often is all that helps.
    var isHearing: Bool { get }
    /// Whether another node lives, as far as is known.
    var hasOthers: Bool { get }

    /// Begins to send and receive.
    /// - Parameter receive: called with news, on the loop, until the bus stops.
    func start(_ receive: @escaping (BusNews) -> Void)
    /// Deregisters the node and ends.
    func stop() async
    /// Notifies those whom it concerns, soon and together with what else is sent meanwhile.
    func send(_ wakeUp: WakeUp)
    /// Asks to be notified of a conversation or a user.
    /// - Returns: once the others know, or cannot be reached at present.
    func watch(_ topic: UUID) async
    /// Asks to be notified of some topics, soon, and gives up others.
    func change(watching: Set<UUID>, ended: Set<UUID>)
}

extension Bus {
    /// Notifies the nodes with subscribers of a conversation with new events.
    package func committed(_ changes: CommittedChanges) {
        for conversation in changes.eventsWatchedElsewhere { send(.events(conversation)) }
    }
}

/// The bus of a node that is alone for sure: nothing is sent.
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
