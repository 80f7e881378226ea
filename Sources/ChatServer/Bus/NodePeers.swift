// The other nodes on the same database, as this node's runs use them.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// Is notified of conversations with deletions.
package protocol DeletionObserver: AnyObject {
    /// Another node has deleted a conversation that has subscribers here, or messages of it.
    func deleted(in conversation: ConversationID)
}

/// Connects this node's runs with readers on other nodes, and other nodes' runs with readers here.
package final class NodePeers: RunPeers {
    /// Publishes events that other nodes have written.
    let events: EventReader
    /// Shares the progress of this node's runs with readers on other nodes.
    let shared: SharedAnswers
    /// Follows other nodes' runs for readers here.
    let remote: RemoteAnswers
    let bus: any Bus

    /// - Parameters:
    ///   - loop: the loop that it runs on.
    ///   - store: the database that the nodes share.
    ///   - hub: broadcasts to subscribers of this node.
    ///   - bus: notifies other nodes.
    ///   - runs: the runs of this node.
    ///   - deletions: is notified of what other nodes have deleted.
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
