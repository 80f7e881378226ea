// One conversation on its way into the database: what of it was read and not written yet, and where its
// messages are. Nothing here touches the database.

import ChatProtocol
import Transfers

/// A conversation that is being imported.
struct ConversationLoad {
    /// A message of it that was read.
    struct Node {
        /// What it is called here.
        var id: MessageID
        let depth: Int32
    }

    /// What is written together.
    struct Batch {
        var messages: [(record: MessageRecord, receipt: String?, n: Int64)] = []
        var prompts: [SystemPromptRecord] = []
        var feedback: [FeedbackRecord] = []
        var summaries: [SummaryRecord] = []
        var bytes = 0

        var isEmpty: Bool { messages.isEmpty && prompts.isEmpty }
    }

    let record: ConversationRecord
    /// What it is called here.
    let target: ConversationID
    /// The conversation that the import had made before and that is not there any more.
    let replaced: ConversationID?
    /// Whether its row is written.
    var isBegun = false
    var batch = Batch()
    var members: [MemberRecord] = []
    /// What was read and will be there when all of it is.
    var counts = TransferCounts()
    /// Why it is given up.
    var failure: String?
    private(set) var nodes: [MessageID: Node] = [:]
    private(set) var newest: MessageID?
    private(set) var lastNumber: Int64 = 0

    init(_ record: ConversationRecord, as target: ConversationID, replacing: ConversationID?) {
        self.record = record
        self.target = target
        replaced = replacing
        counts[.conversation] = 1
    }

    /// Whether it could not keep its identifier. Then its messages keep theirs neither.
    var isRenamed: Bool { target != record.id }

    /// Takes a message.
    /// - Returns: why it is left out; nil where it is not.
    mutating func add(_ message: MessageRecord, limits: ImportLimits) -> String? {
        guard nodes[message.id] == nil else { return ImportReason.duplicate }
        guard message.state.isFinal else { return ImportReason.unfinished }
        var depth: Int32 = 1
        if let parent = message.parent {
            guard let node = nodes[parent] else { return ImportReason.noParent }
            depth = node.depth + 1
        }
        guard nodes.count < limits.messagesPerConversation else {
            failure = ImportReason.tooManyMessages
            return nil
        }
        let id = isRenamed ? newID(of: message) : message.id
        nodes[message.id] = Node(id: id, depth: depth)
        newest = message.id
        lastNumber += 1
        batch.messages.append((message, nil, lastNumber))
        batch.bytes += message.text.utf8.count
        counts[.message] += 1
        return nil
    }

    /// Gives a message of the batch its receipt.
    mutating func add(_ receipt: ReceiptRecord) -> String? {
        guard batch.messages.last?.record.id == receipt.message else {
            return ImportReason.noMessage
        }
        batch.messages[batch.messages.count - 1].receipt = receipt.receipt
        batch.bytes += receipt.receipt.utf8.count
        counts[.receipt] += 1
        return nil
    }

    /// Gives messages whose identifiers are taken new ones.
    /// - Parameter taken: what they are called so far.
    mutating func rename(_ taken: Set<MessageID>) {
        for (message, _, _) in batch.messages {
            if let node = nodes[message.id], taken.contains(node.id) {
                let id = newID(of: message)
                nodes[message.id]?.id = id
            }
        }
    }

    /// The same each time for the same conversation here.
    private func newID(of message: MessageRecord) -> MessageID {
        .derived(from: ["stoa", "\(target)", "\(message.id)"], at: message.createdAt)
    }

    /// What a message of the file is called here.
    func id(of message: MessageID?) -> MessageID? { message.flatMap { nodes[$0]?.id } }
}
