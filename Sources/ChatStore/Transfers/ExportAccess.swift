// Rights to export: checked before each page, so that an export ends when the right ends.

import ChatCore
public import ChatProtocol
import Postgres
import Transfers

/// The reader of an export.
public enum ExportReader: Sendable, Hashable {
    /// A user, who gets what they can see.
    case user(UserID)
    /// A user of the command line, who can read the database anyway.
    case terminal
}

extension StoreTransaction {
    /// Throws if the reader may not make this export.
    func requireExport(of scope: TransferScope, by reader: ExportReader) async throws {
        guard case .user(let user) = reader else { return }
        let refusal: WireError? =
            switch scope {
            case .conversation(let id): try await conversationRefusal(of: user, in: id)
            case .user(let id): try await ownRefusal(of: user, asking: id)
            case .team(let id): try await teamRefusal(of: user, in: id)
            case .everything: try await serverRefusal(of: user)
            }
        if let refusal { throw refusal }
    }

    /// Why a user may not see a conversation; nil if they may.
    func conversationRefusal(
        of user: UserID,
        in conversation: ConversationID
    ) async throws -> WireError? {
        let rows = try await query(
            """
            SELECT \(StandingSelection.columns)
            FROM conversations c \(StandingSelection.joins(user: "$2"))
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(user)]
        )
        guard let row = rows.first else { return .noSuchConversation }
        return Permission.decide(.read, try row.standing()).refusal
    }

    private func ownRefusal(of user: UserID, asking: UserID) async throws -> WireError? {
        guard user == asking, try await isEnabled(user) else {
            return WireError(.forbidden, "you can export only your own conversations")
        }
        return nil
    }

    private func teamRefusal(of user: UserID, in team: TeamID) async throws -> WireError? {
        let rows = try await query(
            """
            SELECT t.role FROM team_members t JOIN users u ON u.id = t.user_id
            WHERE t.team_id = $1 AND t.user_id = $2 AND u.disabled_at IS NULL
            """,
            [.uuid(team), .uuid(user)]
        )
        let role = try rows.first?.word("role", as: TeamRole.self)
        return Permission.decide(.export, as: role).refusal(invisible: .noSuchTeam)
    }

    private func serverRefusal(of user: UserID) async throws -> WireError? {
        let rows = try await query(
            "SELECT is_admin FROM users WHERE id = $1 AND disabled_at IS NULL",
            [.uuid(user)]
        )
        let isAdministrator = try rows.first?.decode("is_admin", as: Bool.self) ?? false
        return Permission.decide(.transferEverything, isAdministrator: isAdministrator).refusal
    }

    private func isEnabled(_ user: UserID) async throws -> Bool {
        let rows = try await query(
            "SELECT FROM users WHERE id = $1 AND disabled_at IS NULL",
            [.uuid(user)]
        )
        return !rows.isEmpty
    }
}
