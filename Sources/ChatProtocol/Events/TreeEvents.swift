// The events of the tree of messages, beside `message.created`.

/// `message.deleted`, durable: a message is gone, and with it all below.
public struct MessageDeleted: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// What went, each before what was below it.
    public var messages: [MessageID]

    /// Puts an event together.
    public init(conversation: ConversationID, n: Int64, messages: [MessageID]) {
        self.conversation = conversation
        self.n = n
        self.messages = messages
    }
}

/// `message.restored`, durable: what one deletion took is back.
public struct MessageRestored: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// What came back, each before what is below it.
    public var messages: [MessageID]

    /// Puts an event together.
    public init(conversation: ConversationID, n: Int64, messages: [MessageID]) {
        self.conversation = conversation
        self.n = n
        self.messages = messages
    }
}

/// `message.feedback`, durable: a member said what they think of an answer.
public struct MessageFeedback: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The answer.
    public var message: MessageID
    /// Who.
    public var user: User
    /// 1 for good, -1 for bad; nil where they took it back.
    public var rating: Int?
    /// Why, in their words.
    public var text: String?

    /// Puts an event together.
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
