// Operations on the tree of messages: other branches, deletion, and ratings.

extension Operation {
    /// Sends another version of a user message, as its sibling.
    public static var messageEdit: Operation<MessageEditRequest, MessageSendReply> {
        .init(
            "message.edit",
            requires: .conversation(.write),
            scope: .write,
            rate: .question,
            takes: "`conversation`, `key`, `message` (a question), `text`",
            replies: """
                `{message, answer, n, reserved, shortened_to?, allowance?}`: a sibling question, and its answer
                """,
            examples: [
                MessageEditRequest(
                    conversation: .example(1),
                    key: "k-1",
                    message: .example(2),
                    text: "Coffee?"
                )
            ]
        )
    }

    /// Queues another answer as the sibling of one.
    public static var messageRegenerate: Operation<MessageAgainRequest, MessageAnswerReply> {
        .init(
            "message.regenerate",
            requires: .conversation(.write),
            scope: .write,
            rate: .question,
            takes: "`conversation`, `key`, `message` (an answer, or a question)",
            replies: "`{answer, n, reserved, shortened_to?, allowance?}`: a sibling answer",
            examples: [
                MessageAgainRequest(conversation: .example(1), key: "k-1", message: .example(3))
            ]
        )
    }

    /// Queues another answer that continues the text of one.
    public static var messageContinue: Operation<MessageAgainRequest, MessageAnswerReply> {
        .init(
            "message.continue",
            requires: .conversation(.write),
            scope: .write,
            rate: .question,
            takes: "`conversation`, `key`, `message` (an answer)",
            replies: """
                `{answer, n, reserved, shortened_to?, allowance?}`: another answer that begins with its text
                """,
            examples: [
                MessageAgainRequest(conversation: .example(1), key: "k-1", message: .example(3))
            ]
        )
    }

    /// Selects the branch that the user sees.
    public static var messageSelect: Operation<MessageSelectRequest, MessageListReply> {
        .init(
            "message.select",
            requires: .conversation(.read),
            scope: .read,
            takes: "`conversation`, `message?`, `limit?`",
            replies: """
                `{messages, more}`: the branch through it, which the user sees from now on; \
                without `message`, the newest branch
                """,
            examples: [
                MessageSelectRequest(conversation: .example(1), message: .example(3), limit: 50),
                MessageSelectRequest(conversation: .example(1), message: nil),
            ]
        )
    }

    /// Deletes a message and its descendants.
    public static var messageDelete: Operation<MessageDeleteRequest, MessageDeleteReply> {
        .init(
            "message.delete",
            // Authors may delete their own messages; others require `.deleteMessages`.
            requires: .conversation(.deleteOwnMessages),
            allowed: "owner; editor, if nobody else wrote there",
            scope: .write,
            takes: "`conversation`, `message`",
            replies: """
                `{messages}`: the deleted ids: it and all below it; none if it was deleted \
                already; idempotent
                """,
            examples: [MessageDeleteRequest(conversation: .example(1), message: .example(2))]
        )
    }

    /// Restores a deleted message and the messages that were deleted with it.
    public static var messageRestore: Operation<MessageRestoreRequest, MessageRestoreReply> {
        .init(
            "message.restore",
            // Users may restore what they deleted; otherwise this requires `.deleteMessages`.
            requires: .conversation(.deleteOwnMessages),
            allowed: """
                whoever deleted it, while they may write; owner; for [some \
                days](../use/life-cycle.md)
                """,
            scope: .write,
            takes: "`conversation`, `message`",
            replies: """
                `{messages}`: the restored ids: all that were deleted with it; none if it was not \
                deleted; `conflict` if its parent is deleted; idempotent
                """,
            examples: [MessageRestoreRequest(conversation: .example(1), message: .example(2))]
        )
    }

    /// Rates an answer.
    public static var messageFeedback: Operation<MessageFeedbackRequest, EmptyReply> {
        .init(
            "message.feedback",
            requires: .conversation(.write),
            scope: .write,
            takes: """
                `conversation`, `message` (an answer), `rating` (1, -1 or null), `text?` (4000 \
                bytes)
                """,
            replies: "`{}`; null removes it; idempotent",
            examples: [
                MessageFeedbackRequest(
                    conversation: .example(1),
                    message: .example(3),
                    rating: -1,
                    text: "wrong year"
                ),
                MessageFeedbackRequest(
                    conversation: .example(1),
                    message: .example(3),
                    rating: nil
                ),
            ]
        )
    }
}

extension OperationDefinition {
    static let tree: [OperationDefinition] = [
        .init(.messageEdit),
        .init(.messageRegenerate),
        .init(.messageContinue),
        .init(.messageSelect),
        .init(.messageDelete),
        .init(.messageRestore),
        .init(.messageFeedback),
    ]
}

// MARK: Requests and replies

/// `message.edit`: sends another version of a user message; the original remains as its sibling.
public struct MessageEditRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// An idempotency key, unique per user: a repeated request creates nothing new.
    public var key: String
    /// The original message.
    public var message: MessageID
    /// The new text.
    public var text: String

    /// Creates a request.
    public init(conversation: ConversationID, key: String, message: MessageID, text: String) {
        self.conversation = conversation
        self.key = key
        self.message = message
        self.text = text
    }
}

/// The request of `message.regenerate` and `message.continue`: another answer as a sibling.
public struct MessageAgainRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// An idempotency key, unique per user: a repeated request creates nothing new.
    public var key: String
    /// The answer.
    public var message: MessageID

    /// Creates a request.
    public init(conversation: ConversationID, key: String, message: MessageID) {
        self.conversation = conversation
        self.key = key
        self.message = message
    }
}

/// `message.select`: selects the branch that the user sees when they next open the conversation.
public struct MessageSelectRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// A message of the branch; absent for the newest message.
    public var message: MessageID?
    /// Maximum number of messages in the reply.
    public var limit: Int?

    /// Creates a request.
    public init(conversation: ConversationID, message: MessageID?, limit: Int? = nil) {
        self.conversation = conversation
        self.message = message
        self.limit = limit
    }
}

/// `message.delete`: deletes a message and its descendants.
public struct MessageDeleteRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The message.
    public var message: MessageID

    /// Creates a request.
    public init(conversation: ConversationID, message: MessageID) {
        self.conversation = conversation
        self.message = message
    }
}

/// `message.restore`: restores a deleted message and the messages that were deleted with it.
public struct MessageRestoreRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// One of the deleted messages.
    public var message: MessageID

    /// Creates a request.
    public init(conversation: ConversationID, message: MessageID) {
        self.conversation = conversation
        self.message = message
    }
}

/// `message.feedback`: the user's rating of an answer.
public struct MessageFeedbackRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// 1 for good, -1 for bad; nil removes the rating.
    public var rating: Int?
    /// The reason, in the user's words.
    public var text: String?

    /// Creates a request.
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

/// The reply of `message.regenerate` and `message.continue`, after the commit.
public struct MessageAnswerReply: Codable, Sendable {
    /// The pending answer.
    public var answer: Message
    /// The number of the event that created it.
    public var n: Int64
    /// Tokens reserved for the answer.
    public var reserved: Int64?
    /// The maximum length of the answer, in tokens, if a budget shortened it.
    public var shortenedTo: Int?
    /// The nearest limit; nil if there is none.
    public var allowance: Allowance?

    /// Creates a reply.
    public init(
        answer: Message,
        n: Int64,
        reserved: Int64? = nil,
        shortenedTo: Int? = nil,
        allowance: Allowance? = nil
    ) {
        self.answer = answer
        self.n = n
        self.reserved = reserved
        self.shortenedTo = shortenedTo
        self.allowance = allowance
    }

    enum CodingKeys: String, CodingKey {
        case answer, n, reserved, allowance
        case shortenedTo = "shortened_to"
    }
}

/// The reply of `message.delete`, after the commit.
public struct MessageDeleteReply: Codable, Sendable {
    /// The deleted messages; empty if they were deleted before.
    public var messages: [MessageID]

    /// Creates a reply.
    public init(messages: [MessageID]) {
        self.messages = messages
    }
}

/// The reply of `message.restore`, after the commit.
public struct MessageRestoreReply: Codable, Sendable {
    /// The restored messages; empty if they were not deleted.
    public var messages: [MessageID]

    /// Creates a reply.
    public init(messages: [MessageID]) {
        self.messages = messages
    }
}
