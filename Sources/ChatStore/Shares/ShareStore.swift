// Share links to conversations. Only the reply to the creator contains the token; the hash is
// stored. A link is valid as long as its creator may share the conversation, which is checked on
// each read.

import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// A valid share link.
public struct OpenShare: Sendable, Hashable {
    /// The share's id.
    public let id: ShareID
    /// The shared conversation.
    public let conversation: ConversationID
    /// A message of the shared branch; nil for the branch of the newest message.
    public let leaf: MessageID?
}

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
    /// - Throws: `WireError.limitExceeded` if there are too many.
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
            if let leaf = request.leaf {
                let found = try await transaction.leaf(through: leaf, in: lock.id)
                guard found != nil else { throw WireError.noSuchMessage }
            }
            _ = try await transaction.query(
                "DELETE FROM share_links WHERE conversation_id = $1 AND expires_at <= now()",
                [.uuid(lock.id)]
            )
            let made = try await transaction.query(
                """
                INSERT INTO share_links
                    (id, conversation_id, leaf_id, token_hash, created_by, expires_at)
                SELECT $1, $2, $3, $4, $5, now() + $6 * interval '1 second'
                WHERE (SELECT count(*) FROM share_links WHERE conversation_id = $2) < $7
                """,
                [
                    .uuid(id), .uuid(lock.id), .optional(request.leaf), .bytes(tokenHash),
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
                "conversation.shared",
                by: Actor(user),
                team: lock.team,
                object: "\(lock.id)",
                detail: ["share": "\(id)"]
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
                "conversation.share_revoked",
                by: Actor(user),
                team: lock.team,
                object: "\(lock.id)",
                detail: ["share": "\(request.share)"]
            )
        }
    }

    // MARK: Reading

    /// The link of a token.
    /// - Throws: `WireError.notFound` if it does not exist or is no longer valid.
    public func open(tokenHash: [UInt8]) async throws -> OpenShare {
        let open = try await openShares("s.token_hash = $1", .bytes(tokenHash))
        guard let share = open.first else { throw WireError.noSuchShare }
        return share
    }

    /// The ids among some that are valid links.
    public func open(among ids: [ShareID]) async throws -> Set<ShareID> {
        Set(try await openShares("s.id = ANY ($1)", .uuidArray(ids.map(\.uuid))).map(\.id))
    }

    private func openShares(
        _ condition: String,
        _ value: PostgresValue
    ) async throws -> [OpenShare] {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), s.id, s.conversation_id, s.leaf_id
            FROM share_links s
            JOIN conversations c ON c.id = s.conversation_id AND c.deleted_at IS NULL
            \(StandingSelection.joins(user: "s.created_by"))
            WHERE \(condition) AND (s.expires_at IS NULL OR s.expires_at > now())
            """,
            [value]
        )
        return try rows.compactMap { row in
            guard Permission.decide(.share, try row.standing()) == .granted else { return nil }
            return OpenShare(
                id: try row.id("id", of: Share.self),
                conversation: try row.id("conversation_id", of: Conversation.self),
                leaf: try row.optionalID("leaf_id", of: Message.self)
            )
        }
    }

    /// A page of a shared branch: the messages before a given one, or the newest. For running
    /// answers it contains only the text that they began with.
    /// - Parameters:
    ///   - share: the link.
    ///   - before: the message that the page ends before.
    ///   - limit: maximum messages.
    /// - Returns: the page, and the number of the last event that it certainly includes.
    /// - Throws: `WireError.notFound` if the conversation was deleted, or the message does not
    ///   exist.
    public func page(
        of share: OpenShare,
        before: MessageID?,
        limit: Int
    ) async throws -> (page: SharedPage, n: Int64) {
        let conversation = share.conversation
        // The number is read first: what is newer comes again as an event.
        let rows = try await pool.query(
            """
            SELECT c.title, c.event_number, c.leaf_id, m.id IS NOT NULL AS is_there, m.parent_id
            FROM conversations c
            LEFT JOIN messages m ON m.conversation_id = c.id AND m.id = $2
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(conversation), .optional(before)]
        )
        guard let row = rows.first else { throw WireError.noSuchShare }
        var last: MessageID?
        if before != nil {
            guard try row.decode("is_there", as: Bool.self) else { throw WireError.noSuchMessage }
            last = try row.optionalID("parent_id", of: Message.self)
        } else if let leaf = share.leaf {
            // If it was deleted, nothing is shown: another branch was not shared.
            last = try await messages.leaf(through: leaf, in: conversation)
        } else {
            last = try row.optionalID("leaf_id", of: Message.self)
        }
        var branch: [Message] = []
        if let last {
            branch = try await messages.branch(of: conversation, endingAt: last, limit: limit)
        }
        let page = SharedPage(
            title: try row.decode("title", as: String.self),
            messages: branch.map { SharedMessage($0) },
            more: branch.first?.parent != nil
        )
        return (page, try row.decode("event_number", as: Int64.self))
    }
}

private enum ShareSelection {
    /// The links to conversation `$1`; more conditions may follow.
    static let listed = """
        SELECT s.id, s.leaf_id, u.id AS user_id, u.name, s.created_at, s.expires_at
        FROM share_links s JOIN users u ON u.id = s.created_by WHERE s.conversation_id = $1
        """
}

extension Share {
    /// Reads a row of `ShareSelection.listed`.
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: Share.self),
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

extension WireError {
    /// For a link that does not exist or is no longer valid.
    public static let noSuchShare = WireError(.notFound, "there is no such link")
}
