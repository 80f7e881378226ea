// Queued and running answers whose users no longer have the right to them. The query reads the
// current rights, so it works however a right was revoked and whichever node was notified.

import ChatCore
public import ChatProtocol
import Postgres

/// An answer whose user may no longer write in its conversation.
public struct RevokedRun: Sendable, Hashable {
    /// The answer.
    public let message: MessageID
    /// The conversation.
    public let conversation: ConversationID
}

extension QueueStore {
    /// The queued and running answers whose users may no longer write in the conversation: the
    /// account was disabled, the user was removed or made a viewer, or the conversation was
    /// deleted. Running answers with a stop request are left out: their nodes stop them.
    /// - Parameter user: the user; nil for all users.
    /// - Returns: the answers, by queue position.
    /// - Throws: `PostgresError`.
    public func revokedRuns(of user: UserID? = nil) async throws -> [RevokedRun] {
        let condition = user == nil ? "" : "AND g.user_id = $1"
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), g.message_id, g.conversation_id,
                c.deleted_at IS NOT NULL AS is_deleted
            FROM generations g JOIN conversations c ON c.id = g.conversation_id
            \(StandingSelection.joins(user: "g.user_id"))
            WHERE (g.stop_requested_at IS NULL OR coalesce(g.lease_until < now(), true)) \(condition)
            ORDER BY g.position
            """,
            user.map { [.uuid($0)] } ?? []
        )
        return try rows.compactMap { row in
            let isDeleted = try row.decode("is_deleted", as: Bool.self)
            guard try isDeleted || Permission.decide(.write, row.standing()) != .granted else {
                return nil
            }
            return RevokedRun(
                message: try row.id("message_id", of: Message.self),
                conversation: try row.id("conversation_id", of: Conversation.self)
            )
        }
    }
}
