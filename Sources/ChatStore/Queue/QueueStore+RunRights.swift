// Answers that wait or grow for somebody who has lost the right to them.

import ChatCore
public import ChatProtocol
import Postgres

/// An answer that waits or grows.
public struct UnfinishedAnswer: Sendable, Hashable {
    /// The answer.
    public let message: MessageID
    /// Where.
    public let conversation: ConversationID
}

extension Store {
    /// The answers that wait or grow for somebody who may not write there any more: their account was
    /// disabled, they were removed, or made a viewer.
    /// - Parameter user: whose; nil for everybody's.
    /// - Returns: the answers, in the order of asking.
    /// - Throws: `PostgresError`.
    public func answersWithoutRight(of user: UserID? = nil) async throws -> [UnfinishedAnswer] {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), g.message_id, g.conversation_id
            FROM generations g JOIN conversations c ON c.id = g.conversation_id
            \(StandingSelection.joins(user: "g.user_id"))
            WHERE c.deleted_at IS NULL AND ($1::uuid IS NULL OR g.user_id = $1)
            ORDER BY g.position
            """,
            [.optional(user)]
        )
        var answers: [UnfinishedAnswer] = []
        for row in rows {
            if Permission.decide(.write, try row.standing()) == .granted { continue }
            answers.append(
                UnfinishedAnswer(
                    message: try row.id("message_id", of: Message.self),
                    conversation: try row.id("conversation_id", of: Conversation.self)
                )
            )
        }
        return answers
    }
}
