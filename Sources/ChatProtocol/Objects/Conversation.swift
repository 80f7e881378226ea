// A conversation as its members see it.

/// What a member may do in a conversation.
public enum Role: String, Codable, Hashable, Sendable, CaseIterable {
    /// Everything, members and deletion included.
    case owner
    /// Read, write, and change title, system prompt and settings.
    case editor
    /// Read.
    case viewer
}

/// A person's place in a conversation.
public struct Member: Codable, Hashable, Sendable {
    /// Who.
    public var user: User
    /// What they may do.
    public var role: Role

    /// Puts a member together.
    public init(user: User, role: Role) {
        self.user = user
        self.role = role
    }
}

/// A conversation.
public struct Conversation: Codable, Hashable, Sendable {
    /// Which.
    public var id: ConversationID
    /// What the list calls it.
    public var title: String
    /// What the model is told before the first message; left out in lists.
    public var systemPrompt: String?
    /// Which version of whose system prompt that is; left out in lists, and where there is none.
    public var systemPromptVersion: SystemPromptVersion?
    /// What becomes of a history that is too long; nil from servers that know one way only.
    public var contextPolicy: ContextPolicy?
    /// The model that answers.
    public var model: String
    /// The asker's own role.
    public var role: Role
    /// All members, the owner first.
    public var members: [Member]
    /// How answers are made.
    public var settings: GenerationSettings
    /// The number of the last durable event.
    public var n: Int64
    /// When it was begun.
    public var createdAt: Timestamp
    /// When something last happened in it.
    public var updatedAt: Timestamp
    /// In lists: the number of the last change of this conversation in the asker's list.
    public var u: Int64?
    /// In lists: how many messages of others came after what the asker has read.
    public var unread: Int?
    /// In lists: how many of the unread messages mention the asker; nil for none.
    public var mentions: Int?
    /// In lists: how many answers wait or grow in it.
    public var running: Int?
    /// The team that it belongs to; nil where it belongs to its members alone.
    public var team: TeamID?
    /// Whether everybody in its team may join it; nil where it has none.
    public var open: Bool?
    /// When it ends, where it is temporary.
    public var expiresAt: Timestamp?
    /// True where the asker has archived it: it is in no list of theirs but that of what they archived.
    public var archived: Bool?
    /// True if the user has pinned it: it comes first in their list.
    public var pinned: Bool?

    /// Puts a conversation together.
    public init(
        id: ConversationID,
        title: String,
        systemPrompt: String?,
        model: String,
        role: Role,
        members: [Member],
        settings: GenerationSettings,
        n: Int64,
        createdAt: Timestamp,
        updatedAt: Timestamp,
        u: Int64? = nil,
        unread: Int? = nil,
        mentions: Int? = nil,
        running: Int? = nil,
        systemPromptVersion: SystemPromptVersion? = nil,
        contextPolicy: ContextPolicy? = nil,
        team: TeamID? = nil,
        open: Bool? = nil,
        expiresAt: Timestamp? = nil,
        archived: Bool? = nil,
        pinned: Bool? = nil
    ) {
        self.id = id
        self.title = title
        self.systemPrompt = systemPrompt
        self.systemPromptVersion = systemPromptVersion
        self.contextPolicy = contextPolicy
        self.model = model
        self.role = role
        self.members = members
        self.settings = settings
        self.n = n
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.u = u
        self.unread = unread
        self.mentions = mentions
        self.running = running
        self.team = team
        self.open = open
        self.expiresAt = expiresAt
        self.archived = archived
        self.pinned = pinned
    }

    enum CodingKeys: String, CodingKey {
        case id, title, model, role, members, settings, n, u, unread, mentions, running, team, open
        case archived, pinned
        case systemPrompt = "system_prompt"
        case systemPromptVersion = "system_prompt_version"
        case contextPolicy = "context_policy"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case expiresAt = "expires_at"
    }
}
