// What the operations on all teams of a server take and answer: for administrators, who see who is in a
// team, and nothing of what is said there.

/// `server.teams`: pages of all teams, in the order of their names.
public struct ServerTeamsRequest: Codable, Sendable {
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many at most.
    public var limit: Int?
    /// Only names that contain this, in whatever case.
    public var query: String?

    /// Puts a request together.
    public init(cursor: String? = nil, limit: Int? = nil, query: String? = nil) {
        self.cursor = cursor
        self.limit = limit
        self.query = query
    }
}

/// A team, as administrators see it.
public struct ServerTeam: Codable, Hashable, Sendable {
    /// Which.
    public var id: TeamID
    /// What it is called.
    public var name: String
    /// When it was made.
    public var createdAt: Timestamp
    /// How many people are in it.
    public var members: Int
    /// Days after which conversations without activity are deleted; nil for never.
    public var retentionDays: Int?
    /// The most tokens that it may use a day; nil without a limit.
    public var daily: Int64?
    /// The most tokens that it may use a month; nil without a limit.
    public var monthly: Int64?

    /// Puts a team together.
    public init(
        id: TeamID,
        name: String,
        createdAt: Timestamp,
        members: Int,
        retentionDays: Int? = nil,
        daily: Int64? = nil,
        monthly: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.members = members
        self.retentionDays = retentionDays
        self.daily = daily
        self.monthly = monthly
    }

    enum CodingKeys: String, CodingKey {
        case id, name, members, daily, monthly
        case createdAt = "created_at"
        case retentionDays = "retention_days"
    }
}

/// The reply of `server.teams`.
public struct ServerTeamsReply: Codable, Sendable {
    /// The page.
    public var teams: [ServerTeam]
    /// Where the next page begins; nil where there is none.
    public var cursor: String?

    /// Puts a reply together.
    public init(teams: [ServerTeam], cursor: String? = nil) {
        self.teams = teams
        self.cursor = cursor
    }
}

/// `server.team.member`: gives somebody in a team another role, or takes them out of it.
public struct ServerTeamMemberRequest: Codable, Sendable {
    /// Where.
    public var team: TeamID
    /// Who.
    public var user: UserID
    /// What they are from now on; without one they are in it no longer.
    public var role: TeamRole?

    /// Puts a request together.
    public init(team: TeamID, user: UserID, role: TeamRole?) {
        self.team = team
        self.user = user
        self.role = role
    }
}
