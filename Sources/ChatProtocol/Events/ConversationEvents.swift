// Events about conversations, their members, and the user's list.

/// `welcome`: the first event on an authenticated connection.
public struct Welcome: Codable, Sendable {
    /// The server's version.
    public var server: String
    /// The protocol's name, `stoa.v1`.
    public var `protocol`: String
    /// Changes when the database is restored: event numbers of another epoch are invalid.
    public var epoch: String
    /// The signed-in user.
    public var user: User
    /// The sign-in of this connection.
    public var session: SessionID
    /// The server's limits.
    public var limits: ProtocolLimits
    /// The models of this server.
    public var models: [Model]
    /// The server's time.
    public var time: Timestamp
    /// The latest change number of the user's list: a client that has it is up to date.
    public var u: Int64

    /// Creates an event.
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

/// `conversation.updated`, durable: the title, system prompt, model, settings or policy changed.
public struct ConversationUpdated: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The new values.
    public var changed: ConversationChange

    /// Creates an event.
    public init(conversation: ConversationID, n: Int64, changed: ConversationChange) {
        self.conversation = conversation
        self.n = n
        self.changed = changed
    }
}

/// The fields of `conversation.updated`; the same for every reader, unlike a `Conversation`, which
/// contains the reader's own role.
public struct ConversationChange: Codable, Hashable, Sendable {
    /// The title.
    public var title: String
    /// The system prompt.
    public var systemPrompt: String
    /// The model that answers; nil in events from servers with a single model.
    public var model: String?
    /// The generation settings.
    public var settings: GenerationSettings
    /// The version of the system prompt; nil in older events.
    public var systemPromptVersion: SystemPromptVersion?
    /// What happens when the history exceeds the context; nil in older events.
    public var contextPolicy: ContextPolicy?
    /// Whether all members of its team may join it; nil if unchanged.
    public var open: Bool?
    /// The team that it belongs to; nil for none, or if unchanged.
    public var team: TeamID?

    /// Creates a change.
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

/// `conversation.deleted`, durable: the conversation was deleted for all members.
public struct ConversationDeleted: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64

    /// Creates an event.
    public init(conversation: ConversationID, n: Int64) {
        self.conversation = conversation
        self.n = n
    }
}

/// `member.changed`, durable: a member joined, left, or has another role.
public struct MemberChanged: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The user.
    public var user: User
    /// Their new role; nil if they left.
    public var role: Role?

    /// Creates an event.
    public init(conversation: ConversationID, n: Int64, user: User, role: Role?) {
        self.conversation = conversation
        self.n = n
        self.user = user
        self.role = role
    }
}

/// `conversation.listed`: a conversation was added to the reader's list, moved or changed in it.
public struct ConversationListed: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number sent before it. Numbers in between were superseded: by this change, or by other
    /// changes of the same conversations that were sent or will be.
    public var after: Int64
    /// The entry in the list.
    public var summary: Conversation

    /// Creates an event.
    public init(conversation: ConversationID, u: Int64, after: Int64, summary: Conversation) {
        self.conversation = conversation
        self.u = u
        self.after = after
        self.summary = summary
    }
}

/// `conversation.unlisted`: a conversation was removed from the reader's list.
public struct ConversationUnlisted: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number sent before it, as in `conversation.listed`.
    public var after: Int64

    /// Creates an event.
    public init(conversation: ConversationID, u: Int64, after: Int64) {
        self.conversation = conversation
        self.u = u
        self.after = after
    }
}

/// `lagged`: the client read too slowly and lost events; watch again.
public struct Lagged: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID

    /// Creates an event.
    public init(conversation: ConversationID) {
        self.conversation = conversation
    }
}
