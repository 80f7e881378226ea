// The other nodes on the same database, as this node's runs see them.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// Hears of conversations in which something was deleted.
package protocol DeletionObserver: AnyObject {
    /// Another node has deleted a conversation that is read here, or messages of it.
    func deleted(in conversation: ConversationID)
}

/// Ties the runs of this node to the readers of other nodes, and those of other nodes to readers here.
package final class NodePeers: RunPeers {
    /// Publishes what others have written.
    let events: EventReader
    /// What readers on other nodes learn of this node's runs.
    let shared: SharedAnswers
    /// What readers here learn of other nodes' runs.
    let remote: RemoteAnswers
    let bus: any Bus

    /// - Parameters:
    ///   - loop: where it lives.
    ///   - store: what the nodes share.
    ///   - hub: broadcasts to subscribers of this node.
    ///   - bus: notifies other nodes.
    ///   - runs: the runs of this node.
    ///   - deletions: hears of what other nodes have deleted.
    package init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        bus: any Bus,
        runs: RunTable,
        deletions: any DeletionObserver
    ) {
        self.bus = bus
        events = EventReader(loop: loop, store: store, hub: hub, deletions: deletions)
        shared = SharedAnswers(loop: loop, store: store, runs: runs, bus: bus)
        remote = RemoteAnswers(
            loop: loop,
            store: store,
            hub: hub,
            runs: runs,
            events: events,
            node: bus.node
        )
    }

    package func isWatchedElsewhere(_ conversation: ConversationID) -> Bool {
        shared.isWatchedElsewhere(conversation)
    }

    package func publishMissed(in conversation: ConversationID, upTo n: Int64) async {
        await events.read(conversation, upTo: n)
    }

    package func runBegins(in conversation: ConversationID) {
        shared.runBegins(in: conversation)
    }

    package func note(_ event: ServerEvent, of run: RunID, message: MessageID) {
        shared.note(event, of: run, message: message)
    }

    package func stored(in conversations: Set<ConversationID>) {
        shared.stored(in: conversations)
    }

    package func lost(_ run: ClaimedRun) { remote.follow(run) }
}
