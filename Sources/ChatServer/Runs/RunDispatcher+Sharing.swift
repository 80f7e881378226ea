// What other parts of the node ask about the answers that it makes.

package import ChatProtocol
import ChatStore

extension RunDispatcher {
    /// Whether this node makes an answer, from its claim to its stored end.
    package func isMaking(_ message: MessageID) -> Bool { claims.contains(message) }

    /// The run by which this node makes an answer; nil where no engine has it.
    func run(of message: MessageID) -> RunID? {
        runs.values.first { $0.claim.message == message }?.claim.run
    }

    /// Where answers of this node grow.
    var growingConversations: Set<ConversationID> {
        Set(runs.values.map(\.claim.conversation))
    }
}
