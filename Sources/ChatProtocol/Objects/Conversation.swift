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

/// A member of a conversation.
public struct Member: Codable, Hashable, Sendable {
    /// The user.
    public var user: User
    /// Their role.
    public var role: Role

    /// Creates a member.
    public init(user: User, role: Role) {
        self.user = user
        self.role = role
    }
}

/// A conversation.
public struct Conversation: Codable, Hashable, Sendable {
    /// The conversation's id.
    public var id: ConversationID
    /// Its title.
    public var title: String
    /// Its system prompt; absent in lists.
    public var systemPrompt: String?
    /// The version of its system prompt; absent in lists, and if there is none.
    public var systemPromptVersion: SystemPromptVersion?
    /// What happens when the history exceeds the context; absent from older servers.
    public var contextPolicy: ContextPolicy?
    /// The model that answers.
    public var model: String
    /// The reader's own role.
    public var role: Role
    /// All members, the owner first.
    public var members: [Member]
    /// The generation settings.
    public var settings: GenerationSettings
    /// The number of the last durable event.
    public var n: Int64
    /// When it was created.
    public var createdAt: Timestamp
    /// When it last changed.
    public var updatedAt: Timestamp
    /// In lists: the number of its last change in the reader's list.
    public var u: Int64?
    /// In lists: number of messages of others after the last one that the reader has read.
    public var unread: Int?
    /// In lists: number of unread messages that mention the reader; nil for none.
    public var mentions: Int?
    /// In lists: number of its queued and running answers.
    public var running: Int?
    /// The team that it belongs to; nil for none.
    public var team: TeamID?
    /// Whether all members of its team may join it; nil if it has no team.
    public var open: Bool?
    /// When it expires; nil for never.
    public var expiresAt: Timestamp?
    /// True if the user has archived it: it is then only in their list of archived conversations.
    public var archived: Bool?
    /// True if the user has pinned it: it comes first in their list.
    public var pinned: Bool?
    /// The folder of the user that it is in; nil for none.
    public var folder: FolderID?
    /// The user's tags of it, by name; nil for none.
    public var tags: [String]?

    /// Creates a conversation.
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
        pinned: Bool? = nil,
        folder: FolderID? = nil,
        tags: [String]? = nil
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
        self.folder = folder
        self.tags = tags
    }

    enum CodingKeys: String, CodingKey {
        case id, title, model, role, members, settings, n, u, unread, mentions, running, team, open
        case archived, pinned, folder, tags
        case systemPrompt = "system_prompt"
        case systemPromptVersion = "system_prompt_version"
        case contextPolicy = "context_policy"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case expiresAt = "expires_at"
    }
}
