// Operations on messages, and on the answers that are being generated.

extension Operation {
    /// Lists a page of a branch.
    public static var messageList: Operation<MessageListRequest, MessageListReply> {
        .init(
            "message.list",
            requires: .conversation(.read),
            scope: .read,
            takes: "`conversation`, `before?`, `leaf?`, `limit?`",
            replies: """
                `{messages, more}`, oldest first: the page before a message, else the newest of \
                the branch through `leaf`, else of the branch that the user sees
                """,
            examples: [
                MessageListRequest(conversation: .example(1)),
                MessageListRequest(
                    conversation: .example(1),
                    before: .example(2),
                    leaf: .example(3),
                    limit: 50
                ),
            ]
        )
    }

    /// Sends a user message, and queues its answer.
    public static var messageSend: Operation<MessageSendRequest, MessageSendReply> {
        .init(
            "message.send",
            requires: .conversation(.write),
            scope: .write,
            rate: .question,
            takes: """
                `conversation`, `key`, `text`, `parent?` or `leaf?`, `priority?` (`interactive`, \
                `batch`)
                """,
            replies: """
                `{message, answer, n, reserved, shortened_to?, allowance?}`, after the commit
                """,
            examples: [
                MessageSendRequest(conversation: .example(1), key: "k-1", text: "Tea?"),
                MessageSendRequest(
                    conversation: .example(1),
                    key: "k-1",
                    text: "Grüner Tee 🍵?",
                    parent: .example(3)
                ),
                MessageSendRequest(
                    conversation: .example(1),
                    key: "k-1",
                    text: "Tea?",
                    leaf: .example(3),
                    priority: .batch
                ),
            ]
        )
    }

    /// Stops an answer, which keeps its text so far.
    public static var generationStop: Operation<GenerationStopRequest, GenerationStopReply> {
        .init(
            "generation.stop",
            requires: .conversation(.write),
            scope: .write,
            takes: "`message`, `seen?` (UTF-8 bytes)",
            replies: "`{state}`; idempotent",
            examples: [
                GenerationStopRequest(message: .example(3)),
                GenerationStopRequest(message: .example(3), seen: 64),
            ]
        )
    }

    /// Lists the user's queued and running answers.
    public static var generationList: Operation<EmptyRequest, GenerationListReply> {
        .init(
            "generation.list",
            requires: .signedIn,
            scope: .read,
            replies: """
                `{generations:[{conversation, title, message, state, priority?, queued_at, \
                position?, eta?}]}`: the user's queued and running answers, at most 200
                """,
            examples: [EmptyRequest()]
        )
    }
}

extension OperationDefinition {
    static let messages: [OperationDefinition] = [
        .init(.messageList),
        .init(.messageSend),
        .init(.generationStop),
        .init(.generationList),
    ]
}

// MARK: Requests and replies

/// `message.list`: the page of a branch that ends before a message.
public struct MessageListRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The message that the page ends before; absent for the newest page.
    public var before: MessageID?
    /// A message of the requested branch; absent for the branch that the user sees. Ignored if
    /// `before` is present.
    public var leaf: MessageID?
    /// Maximum number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(
        conversation: ConversationID,
        before: MessageID? = nil,
        leaf: MessageID? = nil,
        limit: Int? = nil
    ) {
        self.conversation = conversation
        self.before = before
        self.leaf = leaf
        self.limit = limit
    }
}

/// `message.send`.
public struct MessageSendRequest: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// An idempotency key, unique per user: a repeated request creates nothing new.
    public var key: String
    /// The text of the user's message.
    public var text: String
    /// The parent message, even if it has other replies.
    public var parent: MessageID?
    /// A message of the branch to append to. Without this and `parent`, the message is appended to
    /// the branch that the user sees.
    public var leaf: MessageID?
    /// The answer's priority; `interactive` by default.
    public var priority: MessagePriority?

    /// Creates a request.
    public init(
        conversation: ConversationID,
        key: String,
        text: String,
        parent: MessageID? = nil,
        leaf: MessageID? = nil,
        priority: MessagePriority? = nil
    ) {
        self.conversation = conversation
        self.key = key
        self.text = text
        self.parent = parent
        self.leaf = leaf
        self.priority = priority
    }
}

/// `generation.stop`: idempotent.
public struct GenerationStopRequest: Codable, Sendable {
    /// The answer to stop.
    public var message: MessageID
    /// The UTF-8 byte up to which the user had read; the answer ends there.
    public var seen: Int?

    /// Creates a request.
    public init(message: MessageID, seen: Int? = nil) {
        self.message = message
        self.seen = seen
    }
}

/// The reply of `message.list` and `message.select`.
public struct MessageListReply: Codable, Sendable {
    /// The page, oldest first.
    public var messages: [Message]
    /// Whether there are older ones.
    public var more: Bool

    /// Creates a reply.
    public init(messages: [Message], more: Bool) {
        self.messages = messages
        self.more = more
    }
}

/// The reply of `message.send` and `message.edit`, after the commit.
public struct MessageSendReply: Codable, Sendable {
    /// The user's message.
    public var message: Message
    /// The pending answer.
    public var answer: Message
    /// The number of the event that created the answer.
    public var n: Int64
    /// Tokens reserved for the answer.
    public var reserved: Int64?
    /// The maximum length of the answer, in tokens, if a budget shortened it.
    public var shortenedTo: Int?
    /// The nearest limit; nil if there is none.
    public var allowance: Allowance?

    /// Creates a reply.
    public init(
        message: Message,
        answer: Message,
        n: Int64,
        reserved: Int64? = nil,
        shortenedTo: Int? = nil,
        allowance: Allowance? = nil
    ) {
        self.message = message
        self.answer = answer
        self.n = n
        self.reserved = reserved
        self.shortenedTo = shortenedTo
        self.allowance = allowance
    }

    enum CodingKeys: String, CodingKey {
        case message, answer, n, reserved, allowance
        case shortenedTo = "shortened_to"
    }
}

/// The reply of `generation.stop`.
public struct GenerationStopReply: Codable, Sendable {
    /// The answer's state when the request arrived.
    public var state: MessageState

    /// Creates a reply.
    public init(state: MessageState) {
        self.state = state
    }
}
