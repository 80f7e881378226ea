// A conversation without its messages: settings, system prompts and members.

public import ChatProtocol

/// Where something comes from that another system made.
public struct TransferSource: Codable, Hashable, Sendable {
    /// The system's name in lower case: "chatgpt", "openwebui", "librechat".
    public var system: String
    /// What it is called there.
    public var id: String

    /// Names a source.
    public init(system: String, id: String) {
        self.system = system
        self.id = id
    }
}

/// A conversation. All that belongs to it follows before the next conversation.
public struct ConversationRecord: Codable, Hashable, Sendable {
    /// Which.
    public var id: ConversationID
    /// What lists call it.
    public var title: String
    /// The team that it belongs to; nil for none.
    public var team: TeamID?
    /// Whether everybody in the team may join it; nil for not.
    public var isOpen: Bool?
    /// The model that answers; empty for the server's own choice.
    public var model: String
    /// How answers are made.
    public var settings: GenerationSettings
    /// What becomes of a history that is too long.
    public var contextPolicy: ContextPolicy
    /// Which version of its own system prompt counts; nil for the server's.
    public var systemPromptVersion: Int?
    /// The newest message: what the next one follows.
    public var leaf: MessageID?
    /// When it was begun.
    public var createdAt: Timestamp
    /// When something last happened in it.
    public var updatedAt: Timestamp
    /// Where it comes from, if another system made it. An import of the same source makes nothing.
    public var source: TransferSource?

    /// Puts a record together.
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
    /// Which one: a UUID of its own.
    public var id: ID<SystemPrompt>
    /// Whose; nil for the server's.
    public var conversation: ConversationID?
    /// Which one of those, from 1.
    public var version: Int
    /// What the model is told.
    public var text: String
    /// Who wrote it; nil for the server's, and where they are gone.
    public var author: UserID?
    /// Which version of a library's prompt its text was taken from, where it was.
    public var library: LibraryVersion?
    /// When it began to count.
    public var createdAt: Timestamp

    /// Puts a record together.
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

/// A user's place in a conversation.
public struct MemberRecord: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// Who.
    public var user: UserID
    /// What they may do.
    public var role: Role
    /// Since when.
    public var joinedAt: Timestamp
    /// The branch that they chose, by a message on it; nil for the newest.
    public var selected: MessageID?
    /// Since when they have it out of their list; nil where it is in it.
    public var archivedAt: Timestamp?
    /// The first message that they have not read; nil where they have read all.
    public var firstUnread: MessageID?

    /// Puts a record together.
    public init(
        conversation: ConversationID,
        user: UserID,
        role: Role,
        joinedAt: Timestamp,
        selected: MessageID? = nil,
        archivedAt: Timestamp? = nil,
        firstUnread: MessageID? = nil
    ) {
        self.conversation = conversation
        self.user = user
        self.role = role
        self.joinedAt = joinedAt
        self.selected = selected
        self.archivedAt = archivedAt
        self.firstUnread = firstUnread
    }

    enum CodingKeys: String, CodingKey {
        case conversation, user, role, selected
        case joinedAt = "joined_at"
        case archivedAt = "archived_at"
        case firstUnread = "first_unread"
    }
}
