// Events about the tree of messages, in addition to `message.created`.

/// `message.deleted`, durable: a message and its descendants were deleted.
public struct MessageDeleted: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The deleted messages, parents first.
    public var messages: [MessageID]

    /// Creates an event.
    public init(conversation: ConversationID, n: Int64, messages: [MessageID]) {
        self.conversation = conversation
        self.n = n
        self.messages = messages
    }
}

/// `message.restored`, durable: a deletion was undone.
public struct MessageRestored: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The restored messages, parents first.
    public var messages: [MessageID]

    /// Creates an event.
    public init(conversation: ConversationID, n: Int64, messages: [MessageID]) {
        self.conversation = conversation
        self.n = n
        self.messages = messages
    }
}

/// `message.feedback`, durable: a member rated an answer.
public struct MessageFeedback: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The answer.
    public var message: MessageID
    /// The user.
    public var user: User
    /// 1 for good, -1 for bad; nil if they withdrew it.
    public var rating: Int?
    /// Their reason, in their words.
    public var text: String?

    /// Creates an event.
    public init(
        conversation: ConversationID,
        n: Int64,
        message: MessageID,
        user: User,
        rating: Int?,
        text: String? = nil
    ) {
        self.conversation = conversation
        self.n = n
        self.message = message
        self.user = user
        self.rating = rating
        self.text = text
    }
}
