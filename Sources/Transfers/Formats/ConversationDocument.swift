// A conversation as somebody reads it: one branch, from the first message to the last.

public import ChatProtocol

/// A conversation's records, put together for a format that shows one branch.
public struct ConversationDocument: Sendable {
    /// A message, with what its author is called.
    public struct Entry: Sendable {
        /// What was said.
        public let message: MessageRecord
        /// Who said it.
        public let speaker: String
        /// Whether somebody found the answer bad.
        public let isDisliked: Bool
    }

    /// The conversation.
    public let conversation: ConversationRecord
    /// What the model was told; empty for nothing.
    public private(set) var systemPrompt = ""
    /// How much text it holds, in bytes.
    public private(set) var byteCount = 0
    private let reader: UserID?
    private var selected: MessageID?
    private var messages: [MessageID: MessageRecord] = [:]
    /// The newest reply to each message.
    private var replies: [MessageID: MessageID] = [:]
    private var newest: MessageID?
    private var disliked: Set<MessageID> = []

    /// - Parameters:
    ///   - conversation: which.
    ///   - reader: whose choice of branch counts; nil for the newest branch.
    public init(_ conversation: ConversationRecord, for reader: UserID?) {
        self.conversation = conversation
        self.reader = reader
    }

    /// Takes a record that belongs to the conversation; others are passed over.
    /// - Parameter record: in the order of the export.
    public mutating func add(_ record: TransferRecord) {
        switch record {
        case .systemPrompt(let prompt) where prompt.version == conversation.systemPromptVersion:
            systemPrompt = prompt.text
            byteCount += prompt.text.utf8.count
        case .member(let member) where member.user == reader: selected = member.selected
        case .message(let message):
            messages[message.id] = message
            if let parent = message.parent { replies[parent] = message.id }
            newest = message.id
            byteCount += message.text.utf8.count + 200
        case .feedback(let feedback) where feedback.rating < 0: disliked.insert(feedback.message)
        default: break
        }
    }

    /// The branch that is shown.
    /// - Parameter names: what users are called.
    /// - Returns: its messages, oldest first.
    public func entries(_ names: [UserID: String]) -> [Entry] {
        var last = selected ?? conversation.leaf ?? newest
        if let chosen = last, messages[chosen] == nil { last = newest }
        // From what was chosen on to the newest that follows.
        while let place = last, let reply = replies[place] { last = reply }
        var entries: [Entry] = []
        while let id = last, let message = messages[id] {
            entries.append(
                Entry(
                    message: message,
                    speaker: speaker(of: message, names),
                    isDisliked: disliked.contains(id)
                )
            )
            last = message.parent
        }
        return entries.reversed()
    }

    private func speaker(of message: MessageRecord, _ names: [UserID: String]) -> String {
        if let name = message.author.flatMap({ names[$0] }) ?? message.authorName { return name }
        guard message.role == .assistant else { return "someone" }
        let model = message.model ?? conversation.model
        return model.isEmpty ? "the model" : model
    }
}
