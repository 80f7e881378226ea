// Messages, and what is kept about them.

public import ChatProtocol

/// A message: a node of its conversation's tree. Its parent comes before it.
public struct MessageRecord: Codable, Hashable, Sendable {
    /// Which.
    public var id: MessageID
    /// Where.
    public var conversation: ConversationID
    /// The message that this one follows; nil for a first message.
    public var parent: MessageID?
    /// Its place in the order in which the conversation's messages were made, from 1.
    public var number: Int64
    /// Who speaks.
    public var role: MessageRole
    /// The person who wrote it; nil for an answer, and where they are gone or known by name only.
    public var author: UserID?
    /// What its author was called in the system where it was written, where that is no user here.
    public var authorName: String?
    /// The members whom it names, by their ids; nil for none.
    public var mentions: [UserID]?
    /// The text.
    public var text: String
    /// How it ended: `complete`, `stopped` or `failed`. What is still being made is in no transfer.
    public var state: MessageState
    /// The run that wrote it; nil for questions, and where another system made it.
    public var run: RunID?
    /// Why it ended.
    public var finish: FinishReason?
    /// What it cost.
    public var usage: Usage?
    /// What went wrong.
    public var error: WireError?
    /// Which model wrote it, where that is not told by its receipt.
    public var model: String?
    /// How many older messages the model was not given.
    public var droppedMessages: Int?
    /// How many older messages it was given as a summary.
    public var summarizedMessages: Int?
    /// The answer that this one goes on from.
    public var continues: MessageID?
    /// When it was made.
    public var createdAt: Timestamp

    /// Puts a record together.
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

/// What the model was given for an answer. Follows its message.
public struct ReceiptRecord: Codable, Hashable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The receipt's own JSON text, byte for byte.
    public var receipt: String

    /// Puts a record together.
    public init(conversation: ConversationID, message: MessageID, receipt: String) {
        self.conversation = conversation
        self.message = message
        self.receipt = receipt
    }
}

/// What a member thinks of an answer. Follows its message.
public struct FeedbackRecord: Codable, Hashable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// Whose opinion.
    public var user: UserID
    /// 1 for good, -1 for bad.
    public var rating: Int
    /// Why, in their words.
    public var text: String?
    /// When it was said.
    public var givenAt: Timestamp

    /// Puts a record together.
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

/// What stands for the beginning of a branch. Follows the last message that it stands for.
public struct SummaryRecord: Codable, Hashable, Sendable {
    /// Which.
    public var id: SummaryID
    /// Where.
    public var conversation: ConversationID
    /// The last message that it stands for.
    public var through: MessageID
    /// How many messages those are.
    public var messages: Int
    /// The summary.
    public var text: String
    /// How it was made: JSON text, byte for byte.
    public var receipt: String
    /// When it was made.
    public var createdAt: Timestamp

    /// Puts a record together.
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
