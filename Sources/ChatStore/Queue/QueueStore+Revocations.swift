// Queued and running answers whose users have lost the right to them: looked up by what is true now, so that it
// does not matter how the right was lost, or which node was notified of that.

import ChatCore
public import ChatProtocol
import Postgres

/// An answer whose user may not ask for it any more.
public struct RevokedRun: Sendable, Hashable {
    /// The answer.
    public let message: MessageID
    /// Where.
    public let conversation: ConversationID
}

extension Store {
    /// The queued and running answers whose users may not write in their conversations any more: the
    /// account was disabled, they were removed, or made a viewer, or the conversation was deleted. One that a
    /// node runs and that has a stop request is not among them: that node stops it.
    /// - Parameter user: whose; nil for everybody's.
    /// - Returns: the answers, in the order of asking.
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
