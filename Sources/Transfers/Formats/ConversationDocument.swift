// A conversation for reading: one branch, from the first message to the last.

public import ChatProtocol

/// Collects a conversation's records for a format that shows one branch.
public struct ConversationDocument: Sendable {
    /// A message with its author's name.
    public struct Entry: Sendable {
        /// The message.
        public let message: MessageRecord
        /// The author's name.
        public let speaker: String
        /// Whether a member rated the answer as bad.
        public let isDisliked: Bool
    }

    /// The conversation.
    public let conversation: ConversationRecord
    /// The system prompt; empty if none.
    public private(set) var systemPrompt = ""
    /// The text's size in bytes.
    public private(set) var byteCount = 0
    private let reader: UserID?
    private var selected: MessageID?
    private var messages: [MessageID: MessageRecord] = [:]
    /// The newest reply to each message.
    private var replies: [MessageID: MessageID] = [:]
    private var newest: MessageID?
    private var disliked: Set<MessageID> = []

    /// - Parameters:
    ///   - conversation: the conversation.
    ///   - reader: the user whose selected branch is shown; nil for the newest branch.
    public init(_ conversation: ConversationRecord, for reader: UserID?) {
        self.conversation = conversation
        self.reader = reader
    }

    /// Adds a record of the conversation; others are ignored.
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
    /// - Parameter names: the names of users.
    /// - Returns: its messages, oldest first.
    public func entries(_ names: [UserID: String]) -> [Entry] {
        var last = selected ?? conversation.leaf ?? newest
        if let chosen = last, messages[chosen] == nil { last = newest }
        // Follows the newest replies from the selected message.
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
