// What each operation answers with: the object under "ok".

/// The reply of `auth`.
public struct AuthReply: Codable, Sendable {
    /// Who signed in.
    public var user: User

    /// Puts a reply together.
    public init(user: User) {
        self.user = user
    }
}

/// The reply of `ping`.
public struct PingReply: Codable, Sendable {
    /// The server's time.
    public var time: Timestamp

    /// Puts a reply together.
    public init(time: Timestamp) {
        self.time = time
    }
}

/// The reply of operations that have nothing to say but that it is done.
public struct EmptyReply: Codable, Sendable {
    /// Puts a reply together.
    public init() {}
}

/// The reply of `conversation.list`: a page, or what changed after the client's number.
public struct ConversationListReply: Codable, Sendable {
    /// The page; after a number, the conversations that changed, each as it is now.
    public var conversations: [Conversation]
    /// Where the next page begins; nil where there is none.
    public var cursor: String?
    /// The number that the list had come to: every change up to it is in this reply, or was known.
    public var u: Int64
    /// After a number: what left the list.
    public var unlisted: [UnlistedConversation]?
    /// After a number, where one of them changed or this is the first page: all of the asker's teams.
    public var teams: [Team]?
    /// True where too much changed after the number, or the number is unknown: this is the first
    /// page, and takes the place of all that the client knows.
    public var reset: Bool?

    /// Puts a reply together.
    public init(
        conversations: [Conversation],
        cursor: String? = nil,
        u: Int64,
        unlisted: [UnlistedConversation]? = nil,
        teams: [Team]? = nil,
        reset: Bool? = nil
    ) {
        self.conversations = conversations
        self.cursor = cursor
        self.u = u
        self.unlisted = unlisted
        self.teams = teams
        self.reset = reset
    }
}

/// A conversation that left the asker's list.
public struct UnlistedConversation: Codable, Hashable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The change's number.
    public var u: Int64

    /// Puts an entry together.
    public init(conversation: ConversationID, u: Int64) {
        self.conversation = conversation
        self.u = u
    }
}

/// The reply of `conversation.read`.
public struct ConversationReadReply: Codable, Sendable {
    /// How many messages of others are unread still.
    public var unread: Int

    /// Puts a reply together.
    public init(unread: Int) {
        self.unread = unread
    }
}

/// The reply of operations that answer with one conversation.
public struct ConversationReply: Codable, Sendable {
    /// The conversation, as it is now.
    public var conversation: Conversation

    /// Puts a reply together.
    public init(conversation: Conversation) {
        self.conversation = conversation
    }
}

/// A conversation with its newest page of messages.
public struct ConversationSnapshot: Codable, Sendable {
    /// The conversation.
    public var conversation: Conversation
    /// Its newest messages along the shown branch, oldest first.
    public var messages: [Message]
    /// Whether there are older ones.
    public var more: Bool
    /// The branch that the user chose; nil where they follow what is newest.
    public var selected: MessageID?

    /// Puts a snapshot together.
    public init(
        conversation: Conversation,
        messages: [Message],
        more: Bool,
        selected: MessageID? = nil
    ) {
        self.conversation = conversation
        self.messages = messages
        self.more = more
        self.selected = selected
    }
}

/// The text of a growing answer from where the client's part ends.
public struct GrowingAnswer: Codable, Sendable {
    /// Which answer.
    public var message: MessageID
    /// Its run.
    public var run: RunID
    /// Where `text` begins, in UTF-8 bytes of the answer.
    public var at: Int
    /// Where it ends.
    public var to: Int
    /// The text between.
    public var text: String

    /// Puts a part together.
    public init(message: MessageID, run: RunID, at: Int, to: Int, text: String) {
        self.message = message
        self.run = run
        self.at = at
        self.to = to
        self.text = text
    }
}

/// The reply of `conversation.watch`: the events after the client's number, or a snapshot.
public struct ConversationWatchReply: Codable, Sendable {
    /// The number of the last durable event that is contained in this reply.
    public var n: Int64
    /// The durable events after `after`, where they are few and known.
    public var events: [ServerEvent]?
    /// Everything anew, where they are not.
    public var snapshot: ConversationSnapshot?
    /// Each growing answer, from where the client's part ends.
    public var growing: [GrowingAnswer]

    /// Puts a reply together.
    public init(
        n: Int64,
        events: [ServerEvent]? = nil,
        snapshot: ConversationSnapshot? = nil,
        growing: [GrowingAnswer]
    ) {
        self.n = n
        self.events = events
        self.snapshot = snapshot
        self.growing = growing
    }
}

/// The reply of `member.add` and `member.remove`.
public struct MemberReply: Codable, Sendable {
    /// All members, as they are now.
    public var members: [Member]

    /// Puts a reply together.
    public init(members: [Member]) {
        self.members = members
    }
}

/// The reply of `message.list` and `message.select`.
public struct MessageListReply: Codable, Sendable {
    /// The page, oldest first.
    public var messages: [Message]
    /// Whether there are older ones.
    public var more: Bool

    /// Puts a reply together.
    public init(messages: [Message], more: Bool) {
        self.messages = messages
        self.more = more
    }
}

/// The reply of `message.send` and `message.edit`, after the commit.
public struct MessageSendReply: Codable, Sendable {
    /// What the user said.
    public var message: Message
    /// The answer to come.
    public var answer: Message
    /// The number of the event that made the answer.
    public var n: Int64
    /// Tokens that are kept free for the answer.
    public var reserved: Int64?
    /// The limit that comes nearest; nil where there is none.
    public var allowance: Allowance?

    /// Puts a reply together.
    public init(
        message: Message,
        answer: Message,
        n: Int64,
        reserved: Int64? = nil,
        allowance: Allowance? = nil
    ) {
        self.message = message
        self.answer = answer
        self.n = n
        self.reserved = reserved
        self.allowance = allowance
    }
}

/// The reply of `message.regenerate` and `message.continue`, after the commit.
public struct MessageAnswerReply: Codable, Sendable {
    /// The answer to come.
    public var answer: Message
    /// The number of the event that made it.
    public var n: Int64
    /// Tokens that are kept free for the answer.
    public var reserved: Int64?
    /// The limit that comes nearest; nil where there is none.
    public var allowance: Allowance?

    /// Puts a reply together.
    public init(
        answer: Message,
        n: Int64,
        reserved: Int64? = nil,
        allowance: Allowance? = nil
    ) {
        self.answer = answer
        self.n = n
        self.reserved = reserved
        self.allowance = allowance
    }
}

/// The reply of `message.delete`, after the commit.
public struct MessageDeleteReply: Codable, Sendable {
    /// What went; empty where it was gone before.
    public var messages: [MessageID]

    /// Puts a reply together.
    public init(messages: [MessageID]) {
        self.messages = messages
    }
}

/// The reply of `message.restore`, after the commit.
public struct MessageRestoreReply: Codable, Sendable {
    /// What came back; empty where it was there.
    public var messages: [MessageID]

    /// Puts a reply together.
    public init(messages: [MessageID]) {
        self.messages = messages
    }
}

/// The reply of `generation.stop`.
public struct GenerationStopReply: Codable, Sendable {
    /// The answer's state when the request was taken.
    public var state: MessageState

    /// Puts a reply together.
    public init(state: MessageState) {
        self.state = state
    }
}

/// The reply of `model.list`.
public struct ModelListReply: Codable, Sendable {
    /// All models of this server, the default first.
    public var models: [Model]
    /// Names that an administrator may try with `model.pull`; absent for those who may not.
    public var pullable: [String]?

    /// Puts a reply together.
    public init(models: [Model], pullable: [String]? = nil) {
        self.models = models
        self.pullable = pullable
    }
}

/// The reply of `model.pull`, after the commit.
public struct ModelReply: Codable, Sendable {
    /// The model as it is now.
    public var model: Model

    /// Puts a reply together.
    public init(model: Model) {
        self.model = model
    }
}
