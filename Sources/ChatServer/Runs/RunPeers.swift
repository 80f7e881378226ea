// How the runs of a node depend on the other nodes on its database.

package import ChatProtocol
package import ChatStore

/// The other nodes, as a `RunDispatcher` uses them: readers there follow runs here, and runs here
/// continue what was written there. Lives on the dispatcher's loop.
package protocol RunPeers: AnyObject {
    /// Whether a conversation has readers on another node, which get a run's text from its
    /// checkpoints.
    func isWatchedElsewhere(_ conversation: ConversationID) -> Bool
    /// Publishes here what other nodes have written in a conversation up to event `n`: an answer's
    /// creation must be published before its text.
    func publishMissed(in conversation: ConversationID, upTo n: Int64) async
    /// Notes that a run begins in a conversation.
    func runBegins(in conversation: ConversationID)
    /// Notes a run's progress event.
    func note(_ event: ServerEvent, of run: RunID, message: MessageID)
    /// Notes that checkpoints of runs in these conversations were stored.
    func stored(in conversations: Set<ConversationID>)
    /// Notes that another node has taken over a run that readers here follow.
    func lost(_ run: ClaimedRun)
}
