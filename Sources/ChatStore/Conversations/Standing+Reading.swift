// SQL for a user's standing in a conversation: one definition for every path.

public import ChatCore
public import ChatProtocol
import Postgres

/// The SQL that reads a standing.
enum StandingSelection {
    /// The columns that `PostgresRow.standing` reads.
    static let columns = """
        CASE WHEN c.api_user_id = u.id THEN 'owner' ELSE m.role END AS member_role,
        c.team_id IS NOT NULL AS is_teams, t.role AS team_role,
        u.disabled_at IS NOT NULL AS is_disabled
        """

    /// The joins to `conversations c`, for the user in a parameter.
    static func joins(user: String) -> String {
        """
        LEFT JOIN users u ON u.id = \(user)
        LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = u.id
        LEFT JOIN team_members t ON t.team_id = c.team_id AND t.user_id = u.id
        """
    }
}

extension PostgresRow {
    /// Reads the columns of `StandingSelection`.
    func standing() throws -> Standing {
        let isTeams = try decode("is_teams", as: Bool.self)
        let teamRole = try optionalWord("team_role", as: TeamRole.self)
        let team: Standing.Membership =
            if !isTeams { .noTeam } else { teamRole.map { .member($0) } ?? .outsider }
        return Standing(
            role: try optionalWord("member_role", as: Role.self),
            team: team,
            isDisabled: try decode("is_disabled", as: Bool.self)
        )
    }
}

extension ConversationStore {
    /// A user's standing in a conversation.
    /// - Throws: `WireError.notFound` if there is no such conversation.
    public func standing(
        of user: UserID,
        in conversation: ConversationID
    ) async throws -> Standing {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns)
            FROM conversations c \(StandingSelection.joins(user: "$2"))
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        return try row.standing()
    }

    /// A user, if they may read a conversation; otherwise nil.
    public func reader(_ user: UserID, of conversation: ConversationID) async throws -> User? {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), u.name
            FROM conversations c \(StandingSelection.joins(user: "$2"))
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(user)]
        )
        guard let row = rows.first,
            Permission.decide(.read, try row.standing()) == .granted
        else { return nil }
        let name = try row.decode("name", as: String.self)
        return User(id: user, name: name)
    }

    /// Checks whether a user may do something in a conversation.
    /// - Throws: `WireError` if they may not, or cannot see the conversation.
    public func require(
        _ action: ConversationAction,
        of user: UserID,
        in conversation: ConversationID
    ) async throws {
        let standing = try await standing(of: user, in: conversation)
        if let refusal = Permission.decide(action, standing).refusal { throw refusal }
    }
}
