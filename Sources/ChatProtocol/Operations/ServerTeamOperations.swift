// Operations on all teams, for administrators.

extension Operation {
    /// Lists all teams.
    public static var serverTeams: Operation<ServerTeamsRequest, ServerTeamsReply> {
        .init(
            "server.teams",
            requires: .server(.manageTeams),
            scope: .administer,
            takes: "`cursor?`, `limit?`, `query?` (part of a name)",
            replies: """
                `{teams:[{id, name, created_at, members, retention_days?, daily?, monthly?}], \
                cursor?}`: all teams, by name; `members` is a number
                """,
            examples: [ServerTeamsRequest(cursor: "Bakers", limit: 50, query: "b")]
        )
    }

    /// Gets any team and a page of its members.
    public static var serverTeam: Operation<TeamPageRequest, TeamGetReply> {
        .init(
            "server.team",
            requires: .server(.manageTeams),
            scope: .administer,
            takes: "`team`, `cursor?`, `limit?`",
            replies: "as `team.get`, without the user's own role",
            examples: [TeamPageRequest(team: .example(13), cursor: "ann", limit: 50)]
        )
    }

    /// Gives a member of any team another role, or removes them.
    public static var serverTeamMember: Operation<ServerTeamMemberRequest, EmptyReply> {
        .init(
            "server.team.member",
            requires: .server(.manageTeams),
            scope: .administer,
            takes: "`team`, `user` (an id), `role?` (without: removes them)",
            replies: "`{}`; never its last owner: `forbidden`",
            examples: [
                ServerTeamMemberRequest(team: .example(13), user: .example(11), role: .owner)
            ]
        )
    }

    /// Deletes any team that has no conversations.
    public static var serverTeamDelete: Operation<TeamRequest, EmptyReply> {
        .init(
            "server.team.delete",
            requires: .server(.manageTeams),
            scope: .administer,
            takes: "`team`",
            replies: "`{}`; refused while there are conversations",
            examples: [TeamRequest(team: .example(13))]
        )
    }
}

extension OperationDefinition {
    static let serverTeams: [OperationDefinition] = [
        .init(.serverTeams),
        .init(.serverTeam),
        .init(.serverTeamMember),
        .init(.serverTeamDelete),
    ]
}

// MARK: Requests and replies

/// `server.teams`: pages of all teams, in the order of their names.
public struct ServerTeamsRequest: Codable, Sendable {
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?
    /// Only names that contain this text; case is ignored.
    public var query: String?

    /// Creates a request.
    public init(cursor: String? = nil, limit: Int? = nil, query: String? = nil) {
        self.cursor = cursor
        self.limit = limit
        self.query = query
    }
}

/// A team, as administrators see it.
public struct ServerTeam: Codable, Hashable, Sendable {
    /// The team.
    public var id: TeamID
    /// Its name.
    public var name: String
    /// When it was created.
    public var createdAt: Timestamp
    /// Number of members.
    public var members: Int
    /// Days after which conversations without activity are deleted; nil for never.
    public var retentionDays: Int?
    /// Maximum tokens per day; nil for no limit.
    public var daily: Int64?
    /// Maximum tokens per month; nil for no limit.
    public var monthly: Int64?

    /// Creates a team.
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
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(teams: [ServerTeam], cursor: String? = nil) {
        self.teams = teams
        self.cursor = cursor
    }
}

/// `server.team.member`: gives a member of a team another role, or removes them.
public struct ServerTeamMemberRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The user.
    public var user: UserID
    /// Their new role; absent to remove them.
    public var role: TeamRole?

    /// Creates a request.
    public init(team: TeamID, user: UserID, role: TeamRole?) {
        self.team = team
        self.user = user
        self.role = role
    }
}
