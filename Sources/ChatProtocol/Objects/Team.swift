// A team, who is in it, and the links that let others in.

/// What somebody may do in a team.
public enum TeamRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// Everything, other owners included.
    case owner
    /// Members, limits and records.
    case admin
    /// Begin and join conversations, and keep prompts.
    case member
    /// Read what they are shown.
    case viewer
}

/// A team: people who share conversations, prompts and a budget.
public struct Team: Codable, Hashable, Sendable {
    /// Which.
    public var id: TeamID
    /// What it is called.
    public var name: String
    /// What the reader is in it.
    public var role: TeamRole?
    /// After how many days without activity its conversations are deleted; nil for never.
    public var retentionDays: Int?

    /// Puts a team together.
    public init(id: TeamID, name: String, role: TeamRole? = nil, retentionDays: Int? = nil) {
        self.id = id
        self.name = name
        self.role = role
        self.retentionDays = retentionDays
    }

    enum CodingKeys: String, CodingKey {
        case id, name, role
        case retentionDays = "retention_days"
    }
}

/// A person's place in a team.
public struct TeamMember: Codable, Hashable, Sendable {
    /// Who.
    public var user: User
    /// What they may do.
    public var role: TeamRole
    /// Since when they are in it.
    public var joinedAt: Timestamp

    /// Puts a member together.
    public init(user: User, role: TeamRole, joinedAt: Timestamp) {
        self.user = user
        self.role = role
        self.joinedAt = joinedAt
    }

    enum CodingKeys: String, CodingKey {
        case user, role
        case joinedAt = "joined_at"
    }
}

/// A link that lets its holders into a team. Its token is told once, to whoever makes it.
public struct TeamInvite: Codable, Hashable, Sendable {
    /// Which.
    public var id: TeamInviteID
    /// What its holders become; never `owner`.
    public var role: TeamRole
    /// Who made it.
    public var createdBy: User
    /// When it was made.
    public var createdAt: Timestamp
    /// Until when it can be used.
    public var expiresAt: Timestamp
    /// How many more people it lets in.
    public var usesLeft: Int

    /// Puts an invite together.
    public init(
        id: TeamInviteID,
        role: TeamRole,
        createdBy: User,
        createdAt: Timestamp,
        expiresAt: Timestamp,
        usesLeft: Int
    ) {
        self.id = id
        self.role = role
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usesLeft = usesLeft
    }

    enum CodingKeys: String, CodingKey {
        case id, role
        case createdBy = "created_by"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
        case usesLeft = "uses_left"
    }
}

/// A conversation that is open to its team, as those see it who have not joined it.
public struct OpenConversation: Codable, Hashable, Sendable {
    /// Which.
    public var conversation: ConversationID
    /// What it is called.
    public var title: String
    /// How many people are in it.
    public var members: Int
    /// When something last happened in it.
    public var updatedAt: Timestamp
    /// Whether the reader is one of them.
    public var joined: Bool

    /// Puts an entry together.
    public init(
        conversation: ConversationID,
        title: String,
        members: Int,
        updatedAt: Timestamp,
        joined: Bool
    ) {
        self.conversation = conversation
        self.title = title
        self.members = members
        self.updatedAt = updatedAt
        self.joined = joined
    }

    enum CodingKeys: String, CodingKey {
        case conversation, title, members, joined
        case updatedAt = "updated_at"
    }
}
