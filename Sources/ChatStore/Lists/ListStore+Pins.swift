// Pinned conversations: which ones come first in a user's own list.

public import ChatProtocol
import Postgres

extension ListStore {
    /// The largest number of conversations that a user can pin.
    public static let pinsMax = 50

    /// Pins a conversation in a member's list, or unpins it. Idempotent.
    /// - Parameters:
    ///   - request: the conversation, and whether to pin it.
    ///   - user: the member.
    /// - Throws: `WireError.notFound` if the user is not a member; `limitExceeded` above `pinsMax`.
    public func pin(_ request: ConversationPinRequest, by user: UserID) async throws {
        try await pool.transaction { transaction in
            _ = try await transaction.lock(request.conversation, for: user, to: .read)
            let changed = try await transaction.query(
                """
                WITH \(ListNumbers.next(of: """
                    SELECT user_id FROM members WHERE conversation_id = $1 AND user_id = $2
                        AND (pinned_at IS NOT NULL) <> $3
                    """))
                UPDATE members m
                SET list_u = counted.u, pinned_at = CASE WHEN $3 THEN now() END,
                    archived_at = CASE WHEN NOT $3 THEN m.archived_at END
                FROM counted
                WHERE m.conversation_id = $1 AND m.user_id = counted.user_id
                RETURNING m.user_id
                """,
                [.uuid(request.conversation), .uuid(user), .bool(request.pinned)]
            )
            // The user's list number is locked from here on, so concurrent pins cannot exceed the
            // limit.
            guard request.pinned, !changed.isEmpty else { return }
            guard try await pinCount(of: user, transaction) > Self.pinsMax else { return }
            throw WireError(
                .limitExceeded,
                "more than \(Self.pinsMax) pinned conversations: unpin one first"
            )
        }
    }

    private func pinCount(of user: UserID, _ transaction: StoreTransaction) async throws -> Int {
        let rows = try await transaction.query(
            """
            SELECT count(*) AS pins FROM members m JOIN conversations c ON c.id = m.conversation_id
            WHERE m.user_id = $1 AND m.pinned_at IS NOT NULL AND c.deleted_at IS NULL
            """,
            [.uuid(user)]
        )
        return Int(try rows.first?.decode("pins", as: Int64.self) ?? 0)
    }
}
