// The events of conversations, their members, and the asker's list.

/// `welcome`: the first event on a connection that knows who it is.
public struct Welcome: Codable, Sendable {
    /// The server's version.
    public var server: String
    /// The protocol's name, `stoa.v1`.
    public var `protocol`: String
    /// Changes when the database was restored: event numbers known from another epoch mean nothing.
    public var epoch: String
    /// Who is signed in.
    public var user: User
    /// The sign-in that this connection belongs to.
    public var session: SessionID
    /// The server's bounds.
    public var limits: ProtocolLimits
    /// The models that answer here.
    public var models: [Model]
    /// The server's time.
    public var time: Timestamp
    /// The number that the user's list had come to: a client that has it has missed nothing.
    public var u: Int64

    /// Puts an event together.
    public init(
        server: String,
        protocol: String,
        epoch: String,
        user: User,
        session: SessionID,
        limits: ProtocolLimits,
        models: [Model],
        time: Timestamp,
        u: Int64
    ) {
        self.server = server
        self.protocol = `protocol`
        self.epoch = epoch
        self.user = user
        self.session = session
        self.limits = limits
        self.models = models
        self.time = time
        self.u = u
    }
}

/// `conversation.updated`, durable: title, system prompt, model, settings or policy changed.
public struct ConversationUpdated: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// What it is now.
    public var changed: ConversationChange

    /// Puts an event together.
    public init(conversation: ConversationID, n: Int64, changed: ConversationChange) {
        self.conversation = conversation
        self.n = n
        self.changed = changed
    }
}

/// The fields that `conversation.updated` tells; the same for every reader, unlike a whole
/// `Conversation`, which holds the reader's own role.
public struct ConversationChange: Codable, Hashable, Sendable {
    /// The title.
    public var title: String
    /// The system prompt.
    public var systemPrompt: String
    /// The model that answers; nil in events of a server that had but one.
    public var model: String?
    /// How answers are made.
    public var settings: GenerationSettings
    /// Which version of whose system prompt it is; nil in older events.
    public var systemPromptVersion: SystemPromptVersion?
    /// What becomes of a history that is too long; nil in older events.
    public var contextPolicy: ContextPolicy?
    /// Whether everybody in its team may join it; nil where that is as before.
    public var open: Bool?
    /// The team that it belongs to; nil for none, or where that is as before.
    public var team: TeamID?

    /// Puts a change together.
    public init(
        title: String,
        systemPrompt: String,
        model: String?,
        settings: GenerationSettings,
        systemPromptVersion: SystemPromptVersion? = nil,
        contextPolicy: ContextPolicy? = nil,
        open: Bool? = nil,
        team: TeamID? = nil
    ) {
        self.title = title
        self.open = open
        self.team = team
        self.systemPrompt = systemPrompt
        self.model = model
        self.settings = settings
        self.systemPromptVersion = systemPromptVersion
        self.contextPolicy = contextPolicy
    }

    enum CodingKeys: String, CodingKey {
        case title, model, settings, open, team
        case systemPrompt = "system_prompt"
        case systemPromptVersion = "system_prompt_version"
        case contextPolicy = "context_policy"
    }
}

/// `conversation.deleted`, durable: it is gone for everybody.
public struct ConversationDeleted: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64

    /// Puts an event together.
    public init(conversation: ConversationID, n: Int64) {
        self.conversation = conversation
        self.n = n
    }
}

/// `member.changed`, durable: someone came, left, or has another role.
public struct MemberChanged: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// Who.
    public var user: User
    /// What they may do now; nil where they left.
    public var role: Role?

    /// Puts an event together.
    public init(conversation: ConversationID, n: Int64, user: User, role: Role?) {
        self.conversation = conversation
        self.n = n
        self.user = user
        self.role = role
    }
}

/// `conversation.listed`: a conversation came into the reader's list, or moved or changed in it.
public struct ConversationListed: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number told before it. Those in between were overtaken: by this change, or by others of
    /// the same conversations that are told or to come.
    public var after: Int64
    /// How the list shows it.
    public var summary: Conversation

    /// Puts an event together.
    public init(conversation: ConversationID, u: Int64, after: Int64, summary: Conversation) {
        self.conversation = conversation
        self.u = u
        self.after = after
        self.summary = summary
    }
}

/// `conversation.unlisted`: a conversation left the reader's list.
public struct ConversationUnlisted: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number told before it, as in `conversation.listed`.
    public var after: Int64

    /// Puts an event together.
    public init(conversation: ConversationID, u: Int64, after: Int64) {
        self.conversation = conversation
        self.u = u
        self.after = after
    }
}

/// `lagged`: the reader was too slow and lost its place; watch again.
public struct Lagged: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID

    /// Puts an event together.
    public init(conversation: ConversationID) {
        self.conversation = conversation
    }
}
