// Who lost a right while answers waited or grew for them: looked up by what is true now, so that it does
// not matter how the right was lost, or which node was told of it.

import ChatCore
public import ChatProtocol
import Postgres

/// An answer whose asker may not ask there any more.
public struct RunWithoutRight: Sendable, Hashable {
    /// Where.
    public let conversation: ConversationID
    /// The answer.
    public let message: MessageID
    /// Whether a node makes it at the moment.
    public let isLeased: Bool
}

extension Store {
    /// The answers in the queue whose askers may not write in their conversations any more: removed,
    /// made viewers, or disabled.
    /// - Parameter user: whose; nil for everybody's.
    /// - Returns: the answers.
    /// - Throws: `PostgresError`.
    public func runsWithoutRight(of user: UserID? = nil) async throws -> [RunWithoutRight] {
        let condition = user == nil ? "" : "WHERE g.user_id = $1"
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), g.conversation_id, g.message_id,
                coalesce(g.lease_until >= now(), false) AS is_leased
            FROM generations g JOIN conversations c ON c.id = g.conversation_id
            \(StandingSelection.joins(user: "g.user_id"))
            \(condition)
            """,
            user.map { [.uuid($0)] } ?? []
        )
        return try rows.compactMap { row in
            guard Permission.decide(.write, try row.standing()) != .granted else { return nil }
            return RunWithoutRight(
                conversation: try row.id("conversation_id", of: Conversation.self),
                message: try row.id("message_id", of: Message.self),
                isLeased: try row.decode("is_leased", as: Bool.self)
            )
        }
    }
}
