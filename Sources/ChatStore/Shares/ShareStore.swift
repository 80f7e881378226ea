// Share links to conversations: creating, listing and revoking them. Only the reply to the creator
// contains the token; the hash is stored. ShareStore+Reading.swift has what readers see.

import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// Share links, by which anyone can read a branch of a conversation.
public struct ShareStore {
    let pool: StorePool
    let conversations: ConversationStore
    let messages: MessageStore

    /// Maximum links per conversation.
    private static let shareCountMax: Int64 = 50

    /// Creates a link.
    /// - Parameters:
    ///   - request: the conversation and its branch.
    ///   - tokenHash: SHA-256 of the token.
    ///   - user: the creator.
    /// - Returns: the link.
    /// - Throws: `WireError.limitExceeded` if there are too many; `.conflict` if a snapshot would be
    ///   empty.
    public func create(
        _ request: ShareCreateRequest,
        tokenHash: [UInt8],
        by user: User
    ) async throws -> Share {
        let id = ShareID.make()
        return try await pool.transaction { transaction in
            let lock = try await transaction.lock(
                request.conversation,
                for: user.id,
                to: .share
            )
            let kind = request.kind ?? .live
            let leaf = try await transaction.leaf(of: request, kind, lock)
            _ = try await transaction.query(
                "DELETE FROM share_links WHERE conversation_id = $1 AND expires_at <= now()",
                [.uuid(lock.id)]
            )
            let made = try await transaction.query(
                """
                INSERT INTO share_links
                    (id, conversation_id, leaf_id, snapshot_title, token_hash, created_by, expires_at)
                SELECT $1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second'
                WHERE (SELECT count(*) FROM share_links WHERE conversation_id = $2) < $8
                """,
                [
                    .uuid(id), .uuid(lock.id), .optional(leaf),
                    kind == .snapshot ? .text(lock.title) : .null, .bytes(tokenHash),
                    .uuid(user.id), .optional(request.expiresIn.map { Double($0) }),
                    .int64(Self.shareCountMax),
                ]
            )
            guard made.affectedRowCount == 1 else {
                throw WireError(
                    .limitExceeded,
                    "the conversation has \(Self.shareCountMax) links: revoke some of them"
                )
            }
            try transaction.audit(
                .conversationShared,
                by: Actor(user),
                team: lock.team,
                object: "\(lock.id)",
                detail: ["share": "\(id)", "kind": kind.rawValue]
            )
            let rows = try await transaction.query(
                ShareSelection.listed + " AND s.id = $2",
                [.uuid(lock.id), .uuid(id)]
            )
            guard let row = rows.first else {
                throw WireError(.internalError, "storing the link failed")
            }
            return try Share(row: row)
        }
    }

    /// The valid links to a conversation, newest first.
    public func list(of conversation: ConversationID, for user: UserID) async throws -> [Share] {
        try await conversations.require(.share, of: user, in: conversation)
        let rows = try await pool.query(
            ShareSelection.listed + " AND (s.expires_at IS NULL OR s.expires_at > now())"
                + " ORDER BY s.id DESC LIMIT $2",
            [.uuid(conversation), .int64(Self.shareCountMax)]
        )
        return try rows.map { try Share(row: $0) }
    }

    /// Revokes a link.
    /// - Throws: `WireError.notFound` if the conversation has none with that id.
    public func revoke(_ request: ShareRevokeRequest, by user: User) async throws {
        try await pool.transaction { transaction in
            let lock = try await transaction.lock(
                request.conversation,
                for: user.id,
                to: .share
            )
            let gone = try await transaction.query(
                "DELETE FROM share_links WHERE id = $1 AND conversation_id = $2",
                [.uuid(request.share), .uuid(lock.id)]
            )
            guard gone.affectedRowCount == 1 else { throw WireError.noSuchShare }
            try transaction.audit(
                .conversationShareRevoked,
                by: Actor(user),
                team: lock.team,
                object: "\(lock.id)",
                detail: ["share": "\(request.share)"]
            )
        }
    }
}

extension StoreTransaction {
    /// The message that the link's row names; nil for the branch of the newest message.
    /// - Throws: `WireError.notFound` if the requested one does not exist; `.conflict` if nothing is
    ///   there to be shown.
    fileprivate func leaf(
        of request: ShareCreateRequest,
        _ kind: ShareKind,
        _ lock: LockedConversation
    ) async throws -> MessageID? {
        var end = lock.leaf
        if let leaf = request.leaf {
            end = try await self.leaf(through: leaf, in: lock.id)
            guard end != nil else { throw WireError.noSuchMessage }
        }
        guard kind == .snapshot else { return request.leaf }
        let finished: MessageID? =
            if let end { try await lastBeforeUnfinished(endingAt: end, in: lock.id) } else { nil }
        guard let finished else {
            throw WireError(.conflict, "there is nothing to show yet: write a message first")
        }
        return finished
    }

    /// The last message of a branch before its first unfinished answer. What follows such an answer
    /// replies to it, so it is left out, too.
    private func lastBeforeUnfinished(
        endingAt end: MessageID,
        in conversation: ConversationID
    ) async throws -> MessageID? {
        let rows = try await query(
            """
            WITH RECURSIVE branch AS (
                SELECT id, parent_id, depth, state FROM messages
                WHERE conversation_id = $1 AND id = $2
                UNION ALL
                SELECT p.id, p.parent_id, p.depth, p.state
                FROM branch JOIN messages p
                    ON p.conversation_id = $1 AND p.id = branch.parent_id
            )
            SELECT id FROM branch
            WHERE depth < coalesce(
                (SELECT min(depth) FROM branch WHERE state IN ('queued', 'streaming')), depth + 1)
            ORDER BY depth DESC LIMIT 1
            """,
            [.uuid(conversation), .uuid(end)]
        )
        return try rows.first?.id("id", of: Message.self)
    }
}

private enum ShareSelection {
    /// The links to conversation `$1`; more conditions may follow.
    static let listed = """
        SELECT s.id, s.leaf_id, s.snapshot_title IS NOT NULL AS is_snapshot, u.id AS user_id, u.name, s.created_at, s.expires_at
        FROM share_links s JOIN users u ON u.id = s.created_by WHERE s.conversation_id = $1
        """
}

extension Share {
    /// Reads a row of `ShareSelection.listed`.
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: Share.self),
            kind: try row.decode("is_snapshot", as: Bool.self) ? .snapshot : .live,
            leaf: try row.optionalID("leaf_id", of: Message.self),
            createdBy: User(
                id: try row.id("user_id", of: User.self),
                name: try row.decode("name", as: String.self)
            ),
            createdAt: try row.timestamp("created_at"),
            expiresAt: try row.optionalTimestamp("expires_at")
        )
    }
}
