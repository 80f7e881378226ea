// The runs of this node, indexed by their messages and by their engines' request numbers.

import ChatCore
import ChatProtocol
import ChatStore

/// The runs that this node has claimed, until they are removed. Lives on the node's loop.
package final class RunTable {
    private var byMessage: [MessageID: ActiveRun] = [:]
    private var byRequest: [UInt64: ActiveRun] = [:]

    /// Creates an empty table.
    package init() {}

    /// All runs, in no particular order.
    var all: some Collection<ActiveRun> { byMessage.values }

    /// The messages of all runs.
    var messages: Set<MessageID> { Set(byMessage.keys) }

    /// The number of runs.
    var count: Int { byMessage.count }

    /// The number of slots that are occupied, or will be once prompts are built.
    var occupiedSlotCount: Int { byMessage.values.count { $0.state.occupiesSlot } }

    /// Whether a run is prepared for the engine of a model, or has it.
    func uses(_ model: String) -> Bool {
        byMessage.values.contains { $0.model == model && $0.state.occupiesSlot }
    }

    /// The number of runs that engines generate.
    var generatingCount: Int { byMessage.values.count { $0.state.isGenerating } }

    /// The number of runs that wait only for the database.
    var storingCount: Int { byMessage.values.count { $0.state.phase == .storing } }

    /// The conversations for which engines of this node generate.
    var generatingConversations: Set<ConversationID> {
        Set(byMessage.values.lazy.filter(\.state.isGenerating).map(\.claim.conversation))
    }

    /// The run of a message.
    subscript(message: MessageID) -> ActiveRun? { byMessage[message] }

    /// The run with an engine's request number; nil if the engine no longer has it.
    subscript(request request: UInt64) -> ActiveRun? {
        guard let run = byRequest[request], run.state.isGenerating else { return nil }
        return run
    }

    /// Whether this node has the run of a message, from its claim to its committed end.
    func holds(_ message: MessageID) -> Bool { byMessage[message] != nil }

    /// The run with which an engine here generates a message.
    func generatingRun(of message: MessageID) -> RunID? {
        guard let run = byMessage[message], run.state.isGenerating else { return nil }
        return run.claim.run
    }

    /// Adds a run; its message must have none here.
    func add(_ run: ActiveRun) { byMessage[run.claim.message] = run }

    /// Notes an engine's request number for a run.
    func index(_ run: ActiveRun, by request: UInt64) { byRequest[request] = run }

    /// Removes a run.
    func remove(_ run: ActiveRun) {
        if let request = run.generation?.request { byRequest[request] = nil }
        guard byMessage[run.claim.message] === run else { return }
        byMessage[run.claim.message] = nil
    }
}
