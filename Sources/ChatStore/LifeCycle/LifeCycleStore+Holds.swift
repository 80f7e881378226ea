// Legal holds: nothing purges a held conversation.

import ChatCore
public import ChatProtocol
import Postgres

extension LifeCycleStore {
    /// Puts a conversation on legal hold, or releases it. Idempotent; a new reason replaces the old
    /// one, and who gives it holds it from then on.
    /// - Parameters:
    ///   - request: the conversation, the new state, and the reason.
    ///   - administrator: who does it.
    /// - Throws: `WireError.notFound` if there is none, or it is being purged.
    public func hold(_ request: ConversationHoldRequest, by administrator: User) async throws {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                UPDATE conversations
                SET held_at = CASE WHEN $2::text IS NOT NULL THEN coalesce(held_at, now()) END,
                    hold_reason = $2, held_by = CASE WHEN $2 IS NOT NULL THEN $3::uuid END
                WHERE id = $1 AND purging_at IS NULL
                RETURNING team_id
                """,
                [
                    .uuid(request.conversation),
                    .optional(request.hold ? request.reason : nil),
                    .uuid(administrator.id),
                ]
            )
            guard let row = rows.first else { throw WireError.noSuchConversation }
            try transaction.audit(
                request.hold ? .conversationHeld : .conversationReleased,
                by: Actor(administrator),
                team: try row.optionalID("team_id", of: Team.self),
                object: request.conversation.description,
                detail: request.reason.map { ["reason": $0] }
            )
        }
    }

    /// A page of the held conversations, the newest first. The caller checks the permission.
    /// - Parameters:
    ///   - request: the conversation if only one is asked for, and the cursor of the previous page.
    ///   - limit: maximum holds.
    /// - Returns: the page.
    /// - Throws: `WireError.badRequest` if the cursor is invalid.
    public func holds(_ request: HoldListRequest, limit: Int) async throws -> HoldListReply {
        let before = try request.cursor.map { cursor throws(WireError) in
            guard let id = ConversationID(cursor) else {
                throw WireError(.badRequest, "invalid cursor: list again without one")
            }
            return id
        }
        let rows = try await pool.query(
            """
            SELECT c.id, c.hold_reason, c.held_at, c.deleted_at, u.id AS user_id, u.name
            FROM conversations c
            LEFT JOIN users u ON u.id = c.held_by AND u.deleted_at IS NULL
            WHERE c.held_at IS NOT NULL AND ($1::uuid IS NULL OR c.id = $1)
                AND ($2::uuid IS NULL OR c.id < $2)
            ORDER BY c.id DESC LIMIT \(limit + 1)
            """,
            [.optional(request.conversation), .optional(before)]
        )
        let holds = try rows.prefix(limit).map(ConversationHold.init)
        return HoldListReply(
            holds: holds,
            cursor: rows.count > limit ? holds.last?.conversation.description : nil
        )
    }
}

extension ConversationHold {
    fileprivate init(row: PostgresRow) throws {
        let name = try row.decode("name", as: String?.self)
        self.init(
            conversation: try row.id("id", of: Conversation.self),
            reason: try row.decode("hold_reason", as: String.self),
            heldAt: try row.timestamp("held_at"),
            heldBy: try row.optionalID("user_id", of: User.self).flatMap { id in
                name.map { User(id: id, name: $0) }
            },
            deletedAt: try row.optionalTimestamp("deleted_at")
        )
    }
}
