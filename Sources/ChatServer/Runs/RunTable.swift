// The runs of this node, by their messages and by their engines' requests.

import ChatCore
import ChatProtocol
import ChatStore

/// Holds the runs that this node claimed, until they are forgotten. Lives on the node's loop.
package final class RunTable {
    private var byMessage: [MessageID: ActiveRun] = [:]
    private var byRequest: [UInt64: ActiveRun] = [:]

    /// A table without runs.
    package init() {}

    /// All runs, in no order.
    var all: some Collection<ActiveRun> { byMessage.values }

    /// The messages of all runs.
    var messages: Set<MessageID> { Set(byMessage.keys) }

    /// How many runs there are.
    var count: Int { byMessage.count }

    /// How many of the node's slots are occupied, or will be as soon as prompts are built.
    var occupiedSlotCount: Int { byMessage.values.count { $0.state.occupiesSlot } }

    /// How many runs engines have.
    var generatingCount: Int { byMessage.values.count { $0.state.isGenerating } }

    /// How many runs wait for the database alone.
    var storingCount: Int { byMessage.values.count { $0.state.phase == .storing } }

    /// Where engines of this node generate.
    var generatingConversations: Set<ConversationID> {
        Set(byMessage.values.lazy.filter(\.state.isGenerating).map(\.claim.conversation))
    }

    /// The run of a message.
    subscript(message: MessageID) -> ActiveRun? { byMessage[message] }

    /// The run that an engine knows by a number; nil for one that it has no longer.
    subscript(request request: UInt64) -> ActiveRun? {
        guard let run = byRequest[request], run.state.isGenerating else { return nil }
        return run
    }

    /// Whether this node has the run of a message, from its claim to its committed end.
    func holds(_ message: MessageID) -> Bool { byMessage[message] != nil }

    /// The run by which an engine here generates a message.
    func generatingRun(of message: MessageID) -> RunID? {
        guard let run = byMessage[message], run.state.isGenerating else { return nil }
        return run.claim.run
    }

    /// Takes a run whose message has none here.
    func add(_ run: ActiveRun) { byMessage[run.claim.message] = run }

    /// Notes the number by which an engine knows a run.
    func index(_ run: ActiveRun, by request: UInt64) { byRequest[request] = run }

    /// Removes a run.
    func remove(_ run: ActiveRun) {
        if let request = run.generation?.request { byRequest[request] = nil }
        guard byMessage[run.claim.message] === run else { return }
        byMessage[run.claim.message] = nil
    }
}
