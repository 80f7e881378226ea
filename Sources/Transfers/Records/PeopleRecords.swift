// Users and teams. A transfer never contains secrets.

public import ChatProtocol

/// A user.
public struct UserRecord: Codable, Hashable, Sendable {
    /// Its id.
    public var id: UserID
    /// The sign-in name.
    public var name: String

    /// A user record.
    public init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }
}

/// A team.
public struct TeamRecord: Codable, Hashable, Sendable {
    /// Its id.
    public var id: TeamID
    /// Its name.
    public var name: String
    /// When it was created.
    public var createdAt: Timestamp

    /// A team record.
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

/// A user's membership in a team.
public struct TeamMemberRecord: Codable, Hashable, Sendable {
    /// The team.
    public var team: TeamID
    /// The user.
    public var user: UserID
    /// The user's role.
    public var role: TeamRole
    /// When the user joined.
    public var joinedAt: Timestamp

    /// A team member record.
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
