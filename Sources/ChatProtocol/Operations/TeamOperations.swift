// Operations on teams, and on the conversations that belong to them.

extension Operation {
    /// Creates a team.
    public static var teamCreate: Operation<TeamCreateRequest, TeamReply> {
        .init(
            "team.create",
            // A setting determines who may create teams.
            requires: .signedIn,
            allowed: "administrators, or with `--team-creation everyone` every signed-in user",
            scope: .write,
            takes: "`key`, `name` (1-64 characters, no other team's)",
            replies: "`{team}`: the user owns it",
            examples: [TeamCreateRequest(key: "t-1", name: "Bakers")]
        )
    }

    /// Lists the user's teams.
    public static var teamList: Operation<EmptyRequest, TeamListReply> {
        .init(
            "team.list",
            requires: .signedIn,
            scope: .read,
            replies: "`{teams, u}`, by name; `u` as in [lists](#lists)",
            examples: [EmptyRequest()]
        )
    }

    /// Gets a team and a page of its members.
    public static var teamGet: Operation<TeamPageRequest, TeamGetReply> {
        .init(
            "team.get",
            requires: .team(.see),
            scope: .read,
            takes: "`team`, `cursor?`, `limit?`",
            replies: "`{team, members:[{user, role, joined_at}], cursor?}`, by name",
            examples: [TeamPageRequest(team: .example(10), cursor: "bob", limit: 50)]
        )
    }

    /// Renames a team.
    public static var teamUpdate: Operation<TeamUpdateRequest, TeamReply> {
        .init(
            "team.update",
            requires: .team(.change),
            scope: .write,
            takes: "`team`, `name`",
            replies: "`{team}`",
            examples: [TeamUpdateRequest(team: .example(10), name: "Millers")]
        )
    }

    /// Deletes a team that has no conversations.
    public static var teamDelete: Operation<TeamRequest, EmptyReply> {
        .init(
            "team.delete",
            requires: .team(.own),
            scope: .write,
            takes: "`team`",
            replies: "`{}`; refused while there are conversations",
            examples: [TeamRequest(team: .example(10))]
        )
    }

    /// Lists the conversations that are open to a team.
    public static var teamConversations: Operation<TeamPageRequest, TeamConversationsReply> {
        .init(
            "team.conversations",
            requires: .team(.see),
            scope: .read,
            takes: "`team`, `cursor?`, `limit?`",
            replies: """
                `{conversations:[{conversation, title, members, updated_at, joined}], cursor?}`: \
                those open to the team, the newest first
                """,
            examples: [
                TeamPageRequest(
                    team: .example(10),
                    cursor: "01890a5d-ac96-7001-8000-000000000001",
                    limit: 20
                )
            ]
        )
    }

    /// Joins a conversation that is open to the user's team.
    public static var conversationJoin: Operation<ConversationRequest, ConversationReply> {
        .init(
            "conversation.join",
            // To write in it later, the user needs `.write` in the team.
            requires: .team(.see),
            scope: .write,
            takes: "`conversation` (open to a team of the user's)",
            replies: "`{conversation}`; idempotent",
            examples: [ConversationRequest(conversation: .example(1))]
        )
    }

    /// Moves a conversation into a team.
    public static var conversationMove: Operation<ConversationMoveRequest, ConversationReply> {
        .init(
            "conversation.move",
            // Also requires `.write` in the destination team.
            requires: .conversation(.manageMembers),
            allowed: "owner, if in the team and no viewer there",
            scope: .write,
            takes: "`conversation` (of no team), `team`",
            replies: "`{conversation}`: [the team's](#teams) from then on; idempotent",
            examples: [ConversationMoveRequest(conversation: .example(1), team: .example(9))]
        )
    }
}

extension OperationDefinition {
    static let teams: [OperationDefinition] = [
        .init(.teamCreate),
        .init(.teamList),
        .init(.teamGet),
        .init(.teamUpdate),
        .init(.teamDelete),
        .init(.teamConversations),
        .init(.conversationJoin),
        .init(.conversationMove),
    ]
}

// MARK: Requests and replies

/// `team.create`.
public struct TeamCreateRequest: Codable, Sendable {
    /// An idempotency key, unique per user: a repeated request creates nothing new.
    public var key: String
    /// Its name, unique among all teams.
    public var name: String

    /// Creates a request.
    public init(key: String, name: String) {
        self.key = key
        self.name = name
    }
}

/// `conversation.move`.
public struct ConversationMoveRequest: Codable, Sendable {
    /// The conversation; it must not belong to a team.
    public var conversation: ConversationID
    /// The team that it will belong to.
    public var team: TeamID

    /// Creates a request.
    public init(conversation: ConversationID, team: TeamID) {
        self.conversation = conversation
        self.team = team
    }
}

/// The request of operations that only name a team: `team.delete`, `team.invite.list` and
/// `server.team.delete`.
public struct TeamRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID

    /// Creates a request.
    public init(team: TeamID) {
        self.team = team
    }
}

/// The request of `team.get`, `team.conversations` and `server.team`: a team and a page.
public struct TeamPageRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(team: TeamID, cursor: String? = nil, limit: Int? = nil) {
        self.team = team
        self.cursor = cursor
        self.limit = limit
    }
}

/// `team.update`.
public struct TeamUpdateRequest: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The new name.
    public var name: String

    /// Creates a request.
    public init(team: TeamID, name: String) {
        self.team = team
        self.name = name
    }
}

/// The reply of operations that return one team.
public struct TeamReply: Codable, Sendable {
    /// The team in its current state.
    public var team: Team

    /// Creates a reply.
    public init(team: Team) {
        self.team = team
    }
}

/// The reply of `team.list`.
public struct TeamListReply: Codable, Sendable {
    /// The user's teams, by name.
    public var teams: [Team]
    /// The list's latest change number: the reply contains all changes of teams up to it.
    public var u: Int64

    /// Creates a reply.
    public init(teams: [Team], u: Int64) {
        self.teams = teams
        self.u = u
    }
}

/// The reply of `team.get`.
public struct TeamGetReply: Codable, Sendable {
    /// The team.
    public var team: Team
    /// A page of its members, by name.
    public var members: [TeamMember]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(team: Team, members: [TeamMember], cursor: String? = nil) {
        self.team = team
        self.members = members
        self.cursor = cursor
    }
}

/// The reply of `team.conversations`.
public struct TeamConversationsReply: Codable, Sendable {
    /// A page of the conversations that are open to the team, newest first.
    public var conversations: [OpenConversation]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(conversations: [OpenConversation], cursor: String? = nil) {
        self.conversations = conversations
        self.cursor = cursor
    }
}
