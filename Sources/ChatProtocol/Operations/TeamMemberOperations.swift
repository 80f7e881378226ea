// Operations on the members of teams, and on the links into them.

extension Operation {
    /// Gives a member of a team another role.
    public static var teamMemberUpdate: Operation<TeamMemberUpdateRequest, TeamMemberReply> {
        .init(
            "team.member.update",
            requires: .team(.manageMembers),
            allowed: "team's owner; admin, except for owners",
            scope: .write,
            takes: "`team`, `user` (an id), `role`",
            replies: "`{member}`",
            examples: [
                TeamMemberUpdateRequest(team: .example(10), user: .example(11), role: .admin)
            ]
        )
    }

    /// Removes a member from a team; oneself to leave it.
    public static var teamMemberRemove: Operation<TeamMemberRemoveRequest, EmptyReply> {
        .init(
            "team.member.remove",
            // Members may remove themselves; others require `.manageMembers`.
            requires: .team(.leave),
            allowed: "team's owner; admin, except for owners; or oneself",
            scope: .write,
            takes: "`team`, `user` (an id)",
            replies: "`{}`",
            examples: [TeamMemberRemoveRequest(team: .example(10), user: .example(11))]
        )
    }

    /// Creates an invite link to a team.
    public static var teamInvite: Operation<TeamInviteRequest, TeamInviteReply> {
        .init(
            "team.invite",
            requires: .team(.manageMembers),
            scope: .write,
            takes: """
                `team`, `role?` (`member`; not `owner`), `expires_in?` (seconds, a week), `uses?` \
                (1)
                """,
            replies: "`{invite, token}`; the token is shown once",
            examples: [
                TeamInviteRequest(team: .example(10)),
                TeamInviteRequest(team: .example(10), role: .viewer, expiresIn: 86_400, uses: 10),
            ]
        )
    }

    /// Lists the invite links of a team that can still be used.
    public static var teamInviteList: Operation<TeamRequest, TeamInviteListReply> {
        .init(
            "team.invite.list",
            requires: .team(.manageMembers),
            scope: .write,
            takes: "`team`",
            replies: """
                `{invites:[{id, role, created_by, created_at, expires_at, uses_left}]}`, the \
                newest first
                """,
            examples: [TeamRequest(team: .example(10))]
        )
    }

    /// Revokes an invite link.
    public static var teamInviteRevoke: Operation<TeamInviteRevokeRequest, EmptyReply> {
        .init(
            "team.invite.revoke",
            requires: .team(.manageMembers),
            scope: .write,
            takes: "`team`, `invite` (an id)",
            replies: "`{}`",
            examples: [TeamInviteRevokeRequest(team: .example(10), invite: .example(12))]
        )
    }

    /// Joins a team with an invite link.
    public static var teamJoin: Operation<TeamJoinRequest, TeamReply> {
        .init(
            "team.join",
            // Every user with a link may join.
            requires: .signedIn,
            scope: .write,
            takes: "`token`",
            replies: "`{team}`; a member keeps their role",
            examples: [
                TeamJoinRequest(
                    token: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
                )
            ]
        )
    }
}

extension OperationDefinition {
    static let teamMembers: [OperationDefinition] = [
        .init(.teamMemberUpdate),
        .init(.teamMemberRemove),
        .init(.teamInvite),
        .init(.teamInviteList),
        .init(.teamInviteRevoke),
        .init(.teamJoin),
    ]
}

// MARK: Requests and replies

/// `team.member.update`: gives a member another role.
public struct TeamMemberUpdateRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The user.
    public var user: UserID
    /// Their new role.
    public var role: TeamRole

    /// Creates a request.
    public init(team: TeamID, user: UserID, role: TeamRole) {
        self.team = team
        self.user = user
        self.role = role
    }
}

/// `team.member.remove`: removes a member, or leaves the team.
public struct TeamMemberRemoveRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The user.
    public var user: UserID

    /// Creates a request.
    public init(team: TeamID, user: UserID) {
        self.team = team
        self.user = user
    }
}

/// `team.invite`: creates a link to join a team.
public struct TeamInviteRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The role of users who join; `member` by default, never `owner`.
    public var role: TeamRole?
    /// Lifetime in seconds; a week by default.
    public var expiresIn: Int?
    /// How many users can join with it; one by default.
    public var uses: Int?

    /// Creates a request.
    public init(team: TeamID, role: TeamRole? = nil, expiresIn: Int? = nil, uses: Int? = nil) {
        self.team = team
        self.role = role
        self.expiresIn = expiresIn
        self.uses = uses
    }

    enum CodingKeys: String, CodingKey {
        case team, role, uses
        case expiresIn = "expires_in"
    }
}

/// `team.invite.revoke`.
public struct TeamInviteRevokeRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The invite.
    public var invite: TeamInviteID

    /// Creates a request.
    public init(team: TeamID, invite: TeamInviteID) {
        self.team = team
        self.invite = invite
    }
}

/// `team.join`: joins a team with the token of a link.
public struct TeamJoinRequest: Codable, Sendable {
    /// The link's token.
    public var token: String

    /// Creates a request.
    public init(token: String) {
        self.token = token
    }
}

/// The reply of `team.member.update`.
public struct TeamMemberReply: Codable, Sendable {
    /// The member in their current state.
    public var member: TeamMember

    /// Creates a reply.
    public init(member: TeamMember) {
        self.member = member
    }
}

/// The reply of `team.invite`.
public struct TeamInviteReply: Codable, Sendable {
    /// The invite.
    public var invite: TeamInvite
    /// The token to join with. It is returned only once.
    public var token: String

    /// Creates a reply.
    public init(invite: TeamInvite, token: String) {
        self.invite = invite
        self.token = token
    }
}

/// The reply of `team.invite.list`.
public struct TeamInviteListReply: Codable, Sendable {
    /// The invites that can still be used, newest first.
    public var invites: [TeamInvite]

    /// Creates a reply.
    public init(invites: [TeamInvite]) {
        self.invites = invites
    }
}
