// What the operations on the tree of messages take: other branches, and what is cut off or copied.

/// `message.edit`: says something in place of a question; the question stays beside it.
public struct MessageEditRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// Unique for its user: the same request again creates nothing twice.
    public var key: String
    /// The question.
    public var message: MessageID
    /// What the user says instead.
    public var text: String

    /// Puts a request together.
    public init(conversation: ConversationID, key: String, message: MessageID, text: String) {
        self.conversation = conversation
        self.key = key
        self.message = message
        self.text = text
    }
}

/// `message.regenerate` and `message.continue`: another answer beside one.
public struct MessageAgainRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// Unique for its user: the same request again creates nothing twice.
    public var key: String
    /// The answer.
    public var message: MessageID

    /// Puts a request together.
    public init(conversation: ConversationID, key: String, message: MessageID) {
        self.conversation = conversation
        self.key = key
        self.message = message
    }
}

/// `message.select`: which branch the user sees when they open the conversation next.
public struct MessageSelectRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// A message of the branch; without one, whatever is newest.
    public var message: MessageID?
    /// How many messages of the branch to answer with, at most.
    public var limit: Int?

    /// Puts a request together.
    public init(conversation: ConversationID, message: MessageID?, limit: Int? = nil) {
        self.conversation = conversation
        self.message = message
        self.limit = limit
    }
}

/// `message.delete`: a message, and all below it.
public struct MessageDeleteRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// Which.
    public var message: MessageID

    /// Puts a request together.
    public init(conversation: ConversationID, message: MessageID) {
        self.conversation = conversation
        self.message = message
    }
}

/// `message.restore`: a message that was deleted, and all that went with it.
public struct MessageRestoreRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// One of those that went.
    public var message: MessageID

    /// Puts a request together.
    public init(conversation: ConversationID, message: MessageID) {
        self.conversation = conversation
        self.message = message
    }
}

/// `message.feedback`: what the user thinks of an answer.
public struct MessageFeedbackRequest: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// 1 for good, -1 for bad; nil takes back what was said.
    public var rating: Int?
    /// Why.
    public var text: String?

    /// Puts a request together.
    public init(
        conversation: ConversationID,
        message: MessageID,
        rating: Int?,
        text: String? = nil
    ) {
        self.conversation = conversation
        self.message = message
        self.rating = rating
        self.text = text
    }
}

/// `conversation.fork`: the branch that ends at a message, as a conversation of the user's own.
public struct ConversationForkRequest: Codable, Sendable {
    /// Where the branch is.
    public var conversation: ConversationID
    /// Unique for its user: the same request again creates nothing twice.
    public var key: String
    /// The last message of the copy.
    public var message: MessageID
    /// What to call it; without one, what the other is called.
    public var title: String?

    /// Puts a request together.
    public init(
        conversation: ConversationID,
        key: String,
        message: MessageID,
        title: String? = nil
    ) {
        self.conversation = conversation
        self.key = key
        self.message = message
        self.title = title
    }
}
