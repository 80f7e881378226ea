// Who: users and teams. No secret of anybody's is ever in a transfer.

public import ChatProtocol

/// A user.
public struct UserRecord: Codable, Hashable, Sendable {
    /// Who.
    public var id: UserID
    /// The name they sign in with.
    public var name: String

    /// Puts a record together.
    public init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }
}

/// A team.
public struct TeamRecord: Codable, Hashable, Sendable {
    /// Which.
    public var id: TeamID
    /// What it is called.
    public var name: String
    /// When it was made.
    public var createdAt: Timestamp

    /// Puts a record together.
    public init(id: TeamID, name: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, name
        case createdAt = "created_at"
    }
}

/// A user's place in a team.
public struct TeamMemberRecord: Codable, Hashable, Sendable {
    /// The team.
    public var team: TeamID
    /// Who.
    public var user: UserID
    /// What they may do.
    public var role: TeamRole
    /// Since when.
    public var joinedAt: Timestamp

    /// Puts a record together.
    public init(team: TeamID, user: UserID, role: TeamRole, joinedAt: Timestamp) {
        self.team = team
        self.user = user
        self.role = role
        self.joinedAt = joinedAt
    }

    enum CodingKeys: String, CodingKey {
        case team, user, role
        case joinedAt = "joined_at"
    }
}
