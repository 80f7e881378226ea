// Messages, and the records about them.

public import ChatProtocol

/// A message: a node of its conversation's tree. Its parent comes before it.
public struct MessageRecord: Codable, Hashable, Sendable {
    /// Its id.
    public var id: MessageID
    /// Its conversation.
    public var conversation: ConversationID
    /// The parent message; nil for a first message.
    public var parent: MessageID?
    /// Its number in the order of creation within the conversation, from 1.
    public var number: Int64
    /// Its role.
    public var role: MessageRole
    /// The user who wrote it; nil for an answer, if the user was deleted, and if only a name is
    /// known.
    public var author: UserID?
    /// The author's name in the system of origin, if the author is not a user here.
    public var authorName: String?
    /// The ids of the members that it mentions; nil for none.
    public var mentions: [UserID]?
    /// The text.
    public var text: String
    /// How it ended: `complete`, `stopped` or `failed`. Pending messages are not transferred.
    public var state: MessageState
    /// The run that generated it; nil for questions and for messages of other systems.
    public var run: RunID?
    /// Why generation ended.
    public var finish: FinishReason?
    /// Its token usage.
    public var usage: Usage?
    /// The error, if it failed.
    public var error: WireError?
    /// The model that generated it, if no receipt tells it.
    public var model: String?
    /// The number of older messages that were left out of the model's context.
    public var droppedMessages: Int?
    /// The number of older messages that a summary replaced.
    public var summarizedMessages: Int?
    /// The answer that this one continues.
    public var continues: MessageID?
    /// When it was created.
    public var createdAt: Timestamp

    /// A message record.
    public init(
        id: MessageID,
        conversation: ConversationID,
        parent: MessageID?,
        number: Int64,
        role: MessageRole,
        author: UserID? = nil,
        authorName: String? = nil,
        mentions: [UserID]? = nil,
        text: String,
        state: MessageState = .complete,
        run: RunID? = nil,
        finish: FinishReason? = nil,
        usage: Usage? = nil,
        error: WireError? = nil,
        model: String? = nil,
        droppedMessages: Int? = nil,
        summarizedMessages: Int? = nil,
        continues: MessageID? = nil,
        createdAt: Timestamp
    ) {
        self.id = id
        self.conversation = conversation
        self.parent = parent
        self.number = number
        self.role = role
        self.author = author
        self.authorName = authorName
        self.mentions = mentions
        self.text = text
        self.state = state
        self.run = run
        self.finish = finish
        self.usage = usage
        self.error = error
        self.model = model
        self.droppedMessages = droppedMessages
        self.summarizedMessages = summarizedMessages
        self.continues = continues
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, conversation, parent, number, role, author
        case authorName = "author_name"
        case mentions, text, state, run, finish, usage, error, model
        case droppedMessages = "dropped_messages"
        case summarizedMessages = "summarized_messages"
        case continues
        case createdAt = "created_at"
    }
}

/// The receipt of an answer: the model's exact input. Follows its message.
public struct ReceiptRecord: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The receipt's own JSON text, byte for byte.
    public var receipt: String

    /// A receipt record.
    public init(conversation: ConversationID, message: MessageID, receipt: String) {
        self.conversation = conversation
        self.message = message
        self.receipt = receipt
    }
}

/// A member's rating of an answer. Follows its message.
public struct FeedbackRecord: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The member.
    public var user: UserID
    /// 1 for good, -1 for bad.
    public var rating: Int
    /// The member's comment.
    public var text: String?
    /// When it was given.
    public var givenAt: Timestamp

    /// A feedback record.
    public init(
        conversation: ConversationID,
        message: MessageID,
        user: UserID,
        rating: Int,
        text: String? = nil,
        givenAt: Timestamp
    ) {
        self.conversation = conversation
        self.message = message
        self.user = user
        self.rating = rating
        self.text = text
        self.givenAt = givenAt
    }

    enum CodingKeys: String, CodingKey {
        case conversation, message, user, rating, text
        case givenAt = "given_at"
    }
}

/// A summary of the start of a branch. Follows the last message that it covers.
public struct SummaryRecord: Codable, Hashable, Sendable {
    /// Its id.
    public var id: SummaryID
    /// Its conversation.
    public var conversation: ConversationID
    /// The last message that it covers.
    public var through: MessageID
    /// The number of messages that it covers.
    public var messages: Int
    /// The summary's text.
    public var text: String
    /// The receipt of its generation: JSON text, byte for byte.
    public var receipt: String
    /// When it was created.
    public var createdAt: Timestamp

    /// A summary record.
    public init(
        id: SummaryID,
        conversation: ConversationID,
        through: MessageID,
        messages: Int,
        text: String,
        receipt: String,
        createdAt: Timestamp
    ) {
        self.id = id
        self.conversation = conversation
        self.through = through
        self.messages = messages
        self.text = text
        self.receipt = receipt
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, conversation, through, messages, text, receipt
        case createdAt = "created_at"
    }
}
