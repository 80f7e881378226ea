// The state of importing one conversation: what was read and is not written yet, and the ids of its
// messages. It does not access the database.

import ChatProtocol
import Transfers

/// A conversation that is being imported.
struct ConversationLoad {
    /// A message that was read.
    struct Node {
        /// Its id in this database.
        var id: MessageID
        let depth: Int32
    }

    /// Records that are written together.
    struct Batch {
        var messages: [(record: MessageRecord, receipt: String?, n: Int64)] = []
        var prompts: [SystemPromptRecord] = []
        var feedback: [FeedbackRecord] = []
        var summaries: [SummaryRecord] = []
        var bytes = 0

        var isEmpty: Bool { messages.isEmpty && prompts.isEmpty }
    }

    let record: ConversationRecord
    /// Its id in this database.
    let target: ConversationID
    /// The conversation that an earlier import created and that no longer exists.
    let replaced: ConversationID?
    /// Whether its row is written.
    var isBegun = false
    var batch = Batch()
    var members: [MemberRecord] = []
    /// The counts to report when the conversation is complete.
    var counts = TransferCounts()
    /// Why it is given up.
    var failure: ImportReason?
    private(set) var nodes: [MessageID: Node] = [:]
    private(set) var newest: MessageID?
    private(set) var lastNumber: Int64 = 0

    init(_ record: ConversationRecord, as target: ConversationID, replacing: ConversationID?) {
        self.record = record
        self.target = target
        replaced = replacing
        counts[.conversation] = 1
    }

    /// Whether it got a new id. Then its messages get new ids, too.
    var isRenamed: Bool { target != record.id }

    /// Adds a message.
    /// - Returns: why it is left out; nil if it was added.
    mutating func add(_ message: MessageRecord, limits: ImportLimits) -> ImportReason? {
        guard nodes[message.id] == nil else { return .duplicate }
        guard message.state.isFinal else { return .unfinished }
        var depth: Int32 = 1
        if let parent = message.parent {
            guard let node = nodes[parent] else { return .noParent }
            depth = node.depth + 1
        }
        guard nodes.count < limits.messagesPerConversation else {
            failure = .tooManyMessages
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

    /// Adds a receipt to a message of the batch.
    mutating func add(_ receipt: ReceiptRecord) -> ImportReason? {
        guard batch.messages.last?.record.id == receipt.message else {
            return .noMessage
        }
        batch.messages[batch.messages.count - 1].receipt = receipt.receipt
        batch.bytes += receipt.receipt.utf8.count
        counts[.receipt] += 1
        return nil
    }

    /// Gives new ids to messages whose ids are taken.
    /// - Parameter taken: their current ids.
    mutating func rename(_ taken: Set<MessageID>) {
        for (message, _, _) in batch.messages {
            if let node = nodes[message.id], taken.contains(node.id) {
                let id = newID(of: message)
                nodes[message.id]?.id = id
            }
        }
    }

    /// The same result each time for the same conversation.
    private func newID(of message: MessageRecord) -> MessageID {
        .derived(from: ["stoa", "\(target)", "\(message.id)"], at: message.createdAt)
    }

    /// The id of a message of the file in this database.
    func id(of message: MessageID?) -> MessageID? { message.flatMap { nodes[$0]?.id } }
}
