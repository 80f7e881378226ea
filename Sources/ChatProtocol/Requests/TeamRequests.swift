// What the operations on teams take and answer.

/// `team.create`.
public struct TeamCreateRequest: Codable, Sendable {
    /// Unique for its user: the same request again creates nothing twice.
    public var key: String
    /// What to call it; no two teams have the same name.
    public var name: String

    /// Puts a request together.
    public init(key: String, name: String) {
        self.key = key
        self.name = name
    }
}

/// `conversation.move`.
public struct ConversationMoveRequest: Codable, Sendable {
    /// Which; one that belongs to no team.
    public var conversation: ConversationID
    /// The team that it belongs to from then on.
    public var team: TeamID

    /// Puts a request together.
    public init(conversation: ConversationID, team: TeamID) {
        self.conversation = conversation
        self.team = team
    }
}

/// `team.delete`, `team.invite.list` and `server.team.delete`: what names a team and nothing else.
public struct TeamRequest: Codable, Sendable {
    /// Which.
    public var team: TeamID

    /// Puts a request together.
    public init(team: TeamID) {
        self.team = team
    }
}

/// `team.get`, `team.conversations` and `server.team`: a team, and a page of what is in it.
public struct TeamPageRequest: Codable, Sendable {
    /// Which.
    public var team: TeamID
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many at most.
    public var limit: Int?

    /// Puts a request together.
    public init(team: TeamID, cursor: String? = nil, limit: Int? = nil) {
        self.team = team
        self.cursor = cursor
        self.limit = limit
    }
}

/// `team.update`.
public struct TeamUpdateRequest: Codable, Sendable {
    /// Which.
    public var team: TeamID
    /// What to call it from now on.
    public var name: String

    /// Puts a request together.
    public init(team: TeamID, name: String) {
        self.team = team
        self.name = name
    }
}

/// `team.member.update`: gives a member another role.
public struct TeamMemberUpdateRequest: Codable, Sendable {
    /// Where.
    public var team: TeamID
    /// Who.
    public var user: UserID
    /// What they are from now on.
    public var role: TeamRole

    /// Puts a request together.
    public init(team: TeamID, user: UserID, role: TeamRole) {
        self.team = team
        self.user = user
        self.role = role
    }
}

/// `team.member.remove`: of another, or of oneself.
public struct TeamMemberRemoveRequest: Codable, Sendable {
    /// Where.
    public var team: TeamID
    /// Who.
    public var user: UserID

    /// Puts a request together.
    public init(team: TeamID, user: UserID) {
        self.team = team
        self.user = user
    }
}

/// `team.invite`: makes a link that lets people into a team.
public struct TeamInviteRequest: Codable, Sendable {
    /// Which.
    public var team: TeamID
    /// What they become; `member` without one, never `owner`.
    public var role: TeamRole?
    /// For how long it is good, in seconds; a week without one.
    public var expiresIn: Int?
    /// How many people it lets in; one without one.
    public var uses: Int?

    /// Puts a request together.
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
    /// Whose.
    public var team: TeamID
    /// Which.
    public var invite: TeamInviteID

    /// Puts a request together.
    public init(team: TeamID, invite: TeamInviteID) {
        self.team = team
        self.invite = invite
    }
}

/// `team.join`: by the token of a link.
public struct TeamJoinRequest: Codable, Sendable {
    /// The link's token.
    public var token: String

    /// Puts a request together.
    public init(token: String) {
        self.token = token
    }
}

/// The reply of operations that answer with one team.
public struct TeamReply: Codable, Sendable {
    /// The team, as it is now.
    public var team: Team

    /// Puts a reply together.
    public init(team: Team) {
        self.team = team
    }
}

/// The reply of `team.list`.
public struct TeamListReply: Codable, Sendable {
    /// The asker's teams, by name.
    public var teams: [Team]
    /// The number that the asker's list had come to: what is told of teams up to it is in this reply.
    public var u: Int64

    /// Puts a reply together.
    public init(teams: [Team], u: Int64) {
        self.teams = teams
        self.u = u
    }
}

/// The reply of `team.get`.
public struct TeamGetReply: Codable, Sendable {
    /// The team.
    public var team: Team
    /// A page of those who are in it, by name.
    public var members: [TeamMember]
    /// Where the next page begins; nil where there is none.
    public var cursor: String?

    /// Puts a reply together.
    public init(team: Team, members: [TeamMember], cursor: String? = nil) {
        self.team = team
        self.members = members
        self.cursor = cursor
    }
}

/// The reply of `team.member.update`.
public struct TeamMemberReply: Codable, Sendable {
    /// The member, as they are now.
    public var member: TeamMember

    /// Puts a reply together.
    public init(member: TeamMember) {
        self.member = member
    }
}

/// The reply of `team.invite`.
public struct TeamInviteReply: Codable, Sendable {
    /// The invite.
    public var invite: TeamInvite
    /// What its holders join with. Told here and never again.
    public var token: String

    /// Puts a reply together.
    public init(invite: TeamInvite, token: String) {
        self.invite = invite
        self.token = token
    }
}

/// The reply of `team.invite.list`.
public struct TeamInviteListReply: Codable, Sendable {
    /// Those that can still be used, the newest first.
    public var invites: [TeamInvite]

    /// Puts a reply together.
    public init(invites: [TeamInvite]) {
        self.invites = invites
    }
}

/// The reply of `team.conversations`.
public struct TeamConversationsReply: Codable, Sendable {
    /// A page of the conversations that are open to the team, the newest first.
    public var conversations: [OpenConversation]
    /// Where the next page begins; nil where there is none.
    public var cursor: String?

    /// Puts a reply together.
    public init(conversations: [OpenConversation], cursor: String? = nil) {
        self.conversations = conversations
        self.cursor = cursor
    }
}
