// What the runs of a node have to do with the other nodes on its database.

package import ChatProtocol
package import ChatStore

/// The other nodes, as a `RunDispatcher` sees them: readers there follow runs here, and runs here build on
/// what was written there. Lives on the dispatcher's loop.
package protocol RunPeers: AnyObject {
    /// Whether somebody reads a conversation through another node, who then gets a run's text from its
    /// checkpoints.
    func isWatchedElsewhere(_ conversation: ConversationID) -> Bool
    /// Publishes here what other nodes have written in a conversation up to event `n`: an answer must not
    /// grow before its readers know of it.
    func publishMissed(in conversation: ConversationID, upTo n: Int64) async
    /// A run begins in a conversation.
    func runBegins(in conversation: ConversationID)
    /// A run said what it is doing.
    func note(_ event: ServerEvent, of run: RunID, message: MessageID)
    /// Checkpoints of runs in these conversations were stored.
    func stored(in conversations: Set<ConversationID>)
    /// A run that readers here follow is another node's by now.
    func lost(_ run: ClaimedRun)
}
