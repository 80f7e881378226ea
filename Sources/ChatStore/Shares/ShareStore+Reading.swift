// What readers with a share link see. A link is valid as long as its creator may share the
// conversation, which is checked on each read. A snapshot is not a copy: its messages are those of the
// conversation up to the one that it ends with, so what is deleted there is no longer shown.

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
    /// What it shows.
    public let view: View

    /// The part of a conversation that a link shows.
    public enum View: Sendable, Hashable {
        /// The branch of the newest message.
        case newestBranch
        /// The branch through a message, to the newest reply.
        case branch(through: MessageID)
        /// What was on a branch when the link was created.
        case snapshot(Snapshot)
    }

    /// The end of a snapshot.
    public struct Snapshot: Sendable, Hashable {
        /// The last message.
        public let last: MessageID
        /// The title of then.
        public let title: String
        /// When it was created.
        public let time: Timestamp
    }

    /// Whether later messages are shown.
    public var isLive: Bool { if case .snapshot = view { false } else { true } }
}

extension ShareStore {
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
            SELECT \(StandingSelection.columns), s.id, s.conversation_id, s.leaf_id,
                s.snapshot_title, s.created_at
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
                view: try OpenShare.View(row: row)
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
    /// - Throws: `WireError.notFound` if the conversation was deleted, or the message is not on the
    ///   branch.
    public func page(
        of share: OpenShare,
        before: MessageID?,
        limit: Int
    ) async throws -> (page: SharedPage, n: Int64) {
        let conversation = share.conversation
        // The number is read first: what is newer comes again as an event.
        let rows = try await pool.query(
            """
            SELECT title, event_number, leaf_id FROM conversations
            WHERE id = $1 AND deleted_at IS NULL
            """,
            [.uuid(conversation)]
        )
        guard let row = rows.first else { throw WireError.noSuchShare }
        var last = try await end(
            of: share,
            newest: try row.optionalID("leaf_id", of: Message.self)
        )
        if let before { last = try await parent(of: before, in: conversation, endingAt: last) }
        var branch: [Message] = []
        if let last {
            branch = try await messages.branch(of: conversation, endingAt: last, limit: limit)
        }
        var page = SharedPage(
            title: try row.decode("title", as: String.self),
            messages: branch.map { SharedMessage($0) },
            more: branch.first?.parent != nil
        )
        if case .snapshot(let snapshot) = share.view {
            page.title = snapshot.title
            page.asOf = snapshot.time
        }
        return (page, try row.decode("event_number", as: Int64.self))
    }

    /// The last message of the branch that a link shows; nil if none is left. A snapshot's may be
    /// deleted since.
    private func end(of share: OpenShare, newest: MessageID?) async throws -> MessageID? {
        switch share.view {
        case .newestBranch: newest
        // If it was deleted, nothing is shown: another branch was not shared.
        case .branch(let message): try await messages.leaf(through: message, in: share.conversation)
        case .snapshot(let snapshot): snapshot.last
        }
    }

    /// The parent of a message of the branch that ends at `end`.
    /// - Throws: `WireError.notFound` if the message is not on that branch.
    private func parent(
        of message: MessageID,
        in conversation: ConversationID,
        endingAt end: MessageID?
    ) async throws -> MessageID? {
        let rows = try await pool.query(
            """
            WITH RECURSIVE up AS (
                SELECT id, parent_id, depth FROM messages
                WHERE conversation_id = $1 AND id = $2
                UNION ALL
                SELECT p.id, p.parent_id, p.depth
                FROM up JOIN messages p ON p.conversation_id = $1 AND p.id = up.parent_id
                WHERE up.depth > (
                    SELECT depth FROM messages WHERE conversation_id = $1 AND id = $3)
            )
            SELECT parent_id FROM up WHERE id = $3
            """,
            [.uuid(conversation), .optional(end), .uuid(message)]
        )
        guard let row = rows.first else { throw WireError.noSuchMessage }
        return try row.optionalID("parent_id", of: Message.self)
    }
}

extension OpenShare.View {
    /// Reads `leaf_id`, `snapshot_title` and `created_at` of `share_links`.
    fileprivate init(row: PostgresRow) throws {
        let leaf = try row.optionalID("leaf_id", of: Message.self)
        guard let leaf else {
            self = .newestBranch
            return
        }
        guard let title = try row.decode("snapshot_title", as: String?.self) else {
            self = .branch(through: leaf)
            return
        }
        self = .snapshot(.init(last: leaf, title: title, time: try row.timestamp("created_at")))
    }
}

extension WireError {
    /// For a link that does not exist or is no longer valid.
    public static let noSuchShare = WireError(.notFound, "there is no such link")
}
