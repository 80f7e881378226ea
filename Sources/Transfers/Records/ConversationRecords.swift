// A conversation without its messages: settings, system prompts and members.

public import ChatProtocol

/// The origin of an object that another system created.
public struct TransferSource: Codable, Hashable, Sendable {
    /// The system's name in lower case: "chatgpt", "openwebui", "librechat".
    public var system: String
    /// Its id in that system.
    public var id: String

    /// A source.
    public init(system: String, id: String) {
        self.system = system
        self.id = id
    }
}

/// A conversation. All records that belong to it follow before the next conversation.
public struct ConversationRecord: Codable, Hashable, Sendable {
    /// Its id.
    public var id: ConversationID
    /// Its title.
    public var title: String
    /// The team that it belongs to; nil for none.
    public var team: TeamID?
    /// Whether all members of the team may join it; nil if not.
    public var isOpen: Bool?
    /// The model that answers; empty for the server's default.
    public var model: String
    /// The generation settings.
    public var settings: GenerationSettings
    /// What happens when the history exceeds the context.
    public var contextPolicy: ContextPolicy
    /// The version of its own system prompt that is in effect; nil for the server's.
    public var systemPromptVersion: Int?
    /// The newest message: the parent of the next one.
    public var leaf: MessageID?
    /// When it was created.
    public var createdAt: Timestamp
    /// When it last changed.
    public var updatedAt: Timestamp
    /// Its origin, if another system created it. A second import of the same source creates
    /// nothing.
    public var source: TransferSource?

    /// A conversation record.
    public init(
        id: ConversationID,
        title: String,
        team: TeamID? = nil,
        isOpen: Bool? = nil,
        model: String = "",
        settings: GenerationSettings = GenerationSettings(),
        contextPolicy: ContextPolicy = .dropOldest,
        systemPromptVersion: Int? = nil,
        leaf: MessageID? = nil,
        createdAt: Timestamp,
        updatedAt: Timestamp,
        source: TransferSource? = nil
    ) {
        self.id = id
        self.title = title
        self.team = team
        self.isOpen = isOpen
        self.model = model
        self.settings = settings
        self.contextPolicy = contextPolicy
        self.systemPromptVersion = systemPromptVersion
        self.leaf = leaf
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.source = source
    }

    enum CodingKeys: String, CodingKey {
        case id, title, team
        case isOpen = "open"
        case model, settings, leaf, source
        case contextPolicy = "context_policy"
        case systemPromptVersion = "system_prompt_version"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }
}

/// A version of a system prompt.
public struct SystemPromptRecord: Codable, Hashable, Sendable {
    /// Its id, a UUID.
    public var id: ID<SystemPrompt>
    /// The conversation; nil for the server's prompt.
    public var conversation: ConversationID?
    /// The version, from 1.
    public var version: Int
    /// The system prompt's text.
    public var text: String
    /// Its author; nil for the server's prompt, and if the user was deleted.
    public var author: UserID?
    /// The version of the library prompt that the text was taken from, if any.
    public var library: LibraryVersion?
    /// When it took effect.
    public var createdAt: Timestamp

    /// A system prompt record.
    public init(
        id: ID<SystemPrompt>,
        conversation: ConversationID?,
        version: Int,
        text: String,
        author: UserID? = nil,
        library: LibraryVersion? = nil,
        createdAt: Timestamp
    ) {
        self.id = id
        self.conversation = conversation
        self.version = version
        self.text = text
        self.author = author
        self.library = library
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, conversation, version, text, author, library
        case createdAt = "created_at"
    }
}

/// A user's membership in a conversation.
public struct MemberRecord: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The user.
    public var user: UserID
    /// The user's role.
    public var role: Role
    /// When the user joined.
    public var joinedAt: Timestamp
    /// A message on the branch that the user selected; nil for the newest branch.
    public var selected: MessageID?
    /// When the user archived it; nil if not archived.
    public var archivedAt: Timestamp?
    /// When the user pinned it; nil if not pinned. An archived conversation is not pinned.
    public var pinnedAt: Timestamp?
    /// The name of the user's folder that it is in; nil for none.
    public var folder: String?
    /// The user's tags of it; nil for none.
    public var tags: [String]?
    /// The user's first unread message; nil if all are read.
    public var firstUnread: MessageID?

    /// A member record.
    public init(
        conversation: ConversationID,
        user: UserID,
        role: Role,
        joinedAt: Timestamp,
        selected: MessageID? = nil,
        archivedAt: Timestamp? = nil,
        pinnedAt: Timestamp? = nil,
        folder: String? = nil,
        tags: [String]? = nil,
        firstUnread: MessageID? = nil
    ) {
        self.conversation = conversation
        self.user = user
        self.role = role
        self.joinedAt = joinedAt
        self.selected = selected
        self.archivedAt = archivedAt
        self.pinnedAt = pinnedAt
        self.folder = folder
        self.tags = tags
        self.firstUnread = firstUnread
    }

    enum CodingKeys: String, CodingKey {
        case conversation, user, role, selected, folder, tags
        case joinedAt = "joined_at"
        case archivedAt = "archived_at"
        case pinnedAt = "pinned_at"
        case firstUnread = "first_unread"
    }
}
