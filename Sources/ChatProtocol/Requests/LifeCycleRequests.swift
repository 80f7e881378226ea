// How conversations end: archiving, deletion with a way back, holds, and how long a team keeps what.

/// `conversation.archive`: takes a conversation out of the asker's own list, or puts it back.
public struct ConversationArchiveRequest: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// Whether it is to be archived.
    public var archived: Bool

    /// Puts a request together.
    public init(conversation: ConversationID, archived: Bool) {
        self.conversation = conversation
        self.archived = archived
    }
}

/// `conversation.deleted.list`: what the asker deleted, or others of what the asker owns.
public struct DeletedListRequest: Codable, Sendable {
    /// How many at most.
    public var limit: Int?

    /// Puts a request together.
    public init(limit: Int? = nil) {
        self.limit = limit
    }
}

/// A conversation that was deleted and can be brought back.
public struct DeletedConversation: Codable, Hashable, Sendable {
    /// Which.
    public var id: ConversationID
    /// What it was called.
    public var title: String
    /// When it was deleted.
    public var deletedAt: Timestamp
    /// From when on it cannot be brought back; absent where it is held.
    public var purgeAt: Timestamp?

    /// Puts one together.
    public init(id: ConversationID, title: String, deletedAt: Timestamp, purgeAt: Timestamp?) {
        self.id = id
        self.title = title
        self.deletedAt = deletedAt
        self.purgeAt = purgeAt
    }

    enum CodingKeys: String, CodingKey {
        case id, title
        case deletedAt = "deleted_at"
        case purgeAt = "purge_at"
    }
}

/// The reply of `conversation.deleted.list`.
public struct DeletedListReply: Codable, Sendable {
    /// The conversations, what was deleted last first.
    public var conversations: [DeletedConversation]

    /// Puts a reply together.
    public init(conversations: [DeletedConversation]) {
        self.conversations = conversations
    }
}

/// `conversation.hold`: for administrators.
public struct ConversationHoldRequest: Codable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// Whether it is to be held.
    public var hold: Bool
    /// Why; needed where it is to be held.
    public var reason: String?

    /// Puts a request together.
    public init(conversation: ConversationID, hold: Bool, reason: String? = nil) {
        self.conversation = conversation
        self.hold = hold
        self.reason = reason
    }
}

/// `team.retention`: how long a team keeps conversations without activity.
public struct TeamRetentionRequest: Codable, Sendable {
    /// Which team.
    public var team: TeamID
    /// Days after the last activity; for ever without them.
    public var days: Int?

    /// Puts a request together.
    public init(team: TeamID, days: Int?) {
        self.team = team
        self.days = days
    }
}

/// `account.delete`: the asker's own account.
public struct AccountDeleteRequest: Codable, Sendable {
    /// Its password; nothing where it has none.
    public var password: String?

    /// Puts a request together.
    public init(password: String? = nil) {
        self.password = password
    }
}
