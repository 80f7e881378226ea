// A team, its members, and its invite links.

/// A member's role in a team.
public enum TeamRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// Everything, including managing owners.
    case owner
    /// Manage members, limits and audit records.
    case admin
    /// Create and join conversations, and save prompts.
    case member
    /// Read only.
    case viewer
}

/// A team: people who share conversations, prompts and a budget.
public struct Team: Codable, Hashable, Sendable {
    /// The team's id.
    public var id: TeamID
    /// Its name.
    public var name: String
    /// The reader's role in it.
    public var role: TeamRole?
    /// Days without activity after which its conversations are deleted; nil for never.
    public var retentionDays: Int?

    /// Creates a team.
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

/// A user's membership in a team.
public struct TeamMember: Codable, Hashable, Sendable {
    /// The user.
    public var user: User
    /// Their role.
    public var role: TeamRole
    /// When they joined.
    public var joinedAt: Timestamp

    /// Creates a member.
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

/// A link to join a team. Only the reply to its creator contains the token.
public struct TeamInvite: Codable, Hashable, Sendable {
    /// The invite's id.
    public var id: TeamInviteID
    /// The role of users who join with it; never `owner`.
    public var role: TeamRole
    /// Who created it.
    public var createdBy: User
    /// When it was created.
    public var createdAt: Timestamp
    /// When it expires.
    public var expiresAt: Timestamp
    /// How many more users can join with it.
    public var usesLeft: Int

    /// Creates an invite.
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

/// A conversation that is open to its team, as members of the team see it who have not joined.
public struct OpenConversation: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// Its title.
    public var title: String
    /// Number of members.
    public var members: Int
    /// The last activity in it.
    public var updatedAt: Timestamp
    /// Whether the reader has joined it.
    public var joined: Bool

    /// Creates an entry.
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
