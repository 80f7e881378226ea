// Users' lists of conversations, folders and teams: pages, and changes after a list number.
// Transaction+Lists.swift allocates the list numbers.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// A change in a user's list.
public struct ListChange: Sendable {
    /// What changed, in its current state.
    public enum Subject: Sendable {
        /// A conversation was added, moved or changed.
        case listed(Conversation)
        /// A conversation was removed from the list.
        case unlisted(ConversationID)
        /// The user was added to a team, or the team or its members changed.
        case team(Team)
        /// The user is no longer in a team.
        case left(TeamID)
        /// A folder was created, renamed or deleted; these are all of the user's.
        case folders([Folder])
    }

    /// The user whose list changed.
    public let user: UserID
    /// The list number of the change.
    public let u: Int64
    /// What changed.
    public let subject: Subject
}

/// Users' lists of conversations and teams, and what changed in them.
public struct ListStore {
    let pool: StorePool
    let teams: TeamStore
    let folders: FolderStore

    /// A page of a user's archived or other conversations, without their system prompts: pinned
    /// ones first, then by newest activity.
    /// - Parameters:
    ///   - user: the user.
    ///   - cursor: the cursor of the previous page; nil for the first page.
    ///   - limit: maximum conversations.
    ///   - archived: whether to list the archived ones.
    ///   - folder: lists only conversations in this folder; nil for all.
    ///   - tag: lists only conversations with this tag; nil for all.
    /// - Returns: the page.
    /// - Throws: `WireError.badRequest` if the cursor is invalid.
    public func conversations(
        of user: UserID,
        cursor: String?,
        limit: Int,
        archived: Bool = false,
        folder: FolderID? = nil,
        tag: String? = nil
    ) async throws -> ConversationListReply {
        let start = try cursor.map(ListCursor.init)
        // The number is read first: newer changes come again as events.
        let u = try await position(of: user)
        var rows: [PostgresRow] = []
        // Each part is one index scan. Archived conversations are never pinned.
        if !archived, start?.isPinned != false {
            rows += try await part(
                "me.pinned_at IS NOT NULL",
                of: user,
                (folder, tag),
                after: start,
                limit: limit + 1
            )
        }
        if rows.count <= limit {
            rows += try await part(
                "me.pinned_at IS NULL AND me.archived_at IS \(archived ? "NOT NULL" : "NULL")",
                of: user,
                (folder, tag),
                after: start?.isPinned == true ? nil : start,
                limit: limit + 1 - rows.count
            )
        }
        var conversations = try rows.prefix(limit).map { row in
            try Conversation(row: row)
        }
        for index in conversations.indices {
            conversations[index].systemPrompt = nil
            conversations[index].systemPromptVersion = nil
        }
        var next: String?
        if rows.count > limit, let last = rows.prefix(limit).last {
            next = try ListCursor(row: last).description
        }
        return ConversationListReply(conversations: conversations, cursor: next, u: u)
    }

    /// Rows of a user's list that match a condition, newest activity first.
    private func part(
        _ condition: String,
        of user: UserID,
        _ filter: (folder: FolderID?, tag: String?),
        after start: ListCursor?,
        limit: Int
    ) async throws -> [PostgresRow] {
        var conditions = [condition]
        var values: [PostgresValue] = [
            .uuid(user), start.map { .int64($0.microseconds) } ?? .null,
            .optional(start?.conversation), .int64(Int64(limit)),
        ]
        if let folder = filter.folder {
            values.append(.uuid(folder))
            conditions.append("me.folder_id = $\(values.count)")
        }
        if let tag = filter.tag {
            values.append(.text(tag))
            conditions.append("me.tags @> ARRAY[normalize($\(values.count))]")
        }
        let rows = try await pool.query(
            conversationSelection + """
                    AND \(conditions.joined(separator: " AND "))
                    AND (
                        $2::bigint IS NULL
                        OR (me.activity_at, me.conversation_id)
                            < ('epoch'::timestamptz + $2 * interval '1 microsecond', $3)
                    )
                ORDER BY me.activity_at DESC, me.conversation_id DESC LIMIT $4
                """,
            values
        )
        return Array(rows)
    }

    /// Resynchronizes a client's list: the changes after the client's list number; or the first
    /// page, if there are too many changes or the number is unknown.
    /// - Parameters:
    ///   - user: the user.
    ///   - after: the client's list number.
    ///   - changeLimit: maximum changes; if there are more, the reply is the first page.
    ///   - pageLimit: maximum conversations of the first page.
    /// - Returns: the reply of `conversation.list`.
    /// - Throws: `PostgresError`.
    public func changes(
        of user: UserID,
        after: Int64,
        changeLimit: Int,
        pageLimit: Int
    ) async throws -> ConversationListReply {
        // The number is read first: newer changes come again as events.
        let u = try await position(of: user)
        if after >= 0, after <= u {
            let changes = try await changes(of: [user: after], limit: changeLimit + 1)
            if changes.count <= changeLimit {
                return try await reply(with: changes, of: user, to: u)
            }
        }
        var page = try await conversations(of: user, cursor: nil, limit: pageLimit)
        page.u = u
        page.unlisted = []
        page.teams = try await teams.list(of: user)
        page.folders = try await folders.list(of: user)
        page.reset = true
        return page
    }

    private func reply(
        with changes: [ListChange],
        of user: UserID,
        to u: Int64
    ) async throws -> ConversationListReply {
        var reply = ConversationListReply(conversations: [], u: u, unlisted: [])
        for change in changes {
            switch change.subject {
            case .listed(let summary): reply.conversations.append(summary)
            case .unlisted(let conversation):
                reply.unlisted?.append(
                    UnlistedConversation(conversation: conversation, u: change.u)
                )
            case .team, .left: reply.teams = []
            case .folders(let all): reply.folders = all
            }
        }
        if reply.teams != nil { reply.teams = try await teams.list(of: user) }
        return reply
    }

    /// The newest number of a user's list; 0 before the first change.
    public func position(of user: UserID) async throws -> Int64 {
        let rows = try await pool.query(
            "SELECT u FROM list_positions WHERE user_id = $1",
            [.uuid(user)]
        )
        return try rows.first?.decode("u", as: Int64.self) ?? 0
    }

    /// The newest numbers of users' lists, only of those that are greater than the given ones.
    public func positions(after known: [UserID: Int64]) async throws -> [UserID: Int64] {
        let rows = try await pool.query(
            """
            SELECT p.user_id, p.u FROM unnest($1::uuid[], $2::bigint[]) AS known (user_id, u)
            JOIN list_positions p ON p.user_id = known.user_id AND p.u > known.u
            """,
            [.uuidArray(known.keys.map(\.uuid)), .int64Array(Array(known.values))]
        )
        return try positions(rows)
    }

    /// The members of some conversations and the present and former members of some teams, each
    /// with the number of the newest of these changes in their list.
    public func positions(
        in conversations: [ConversationID],
        teams: [TeamID] = []
    ) async throws -> [UserID: Int64] {
        let rows = try await pool.query(
            """
            SELECT user_id, max(u) AS u FROM (
                SELECT user_id, list_u AS u FROM members WHERE conversation_id = ANY ($1)
                UNION ALL SELECT user_id, u FROM team_changes WHERE team_id = ANY ($2)
            ) told GROUP BY user_id
            """,
            [.uuidArray(conversations.map(\.uuid)), .uuidArray(teams.map(\.uuid))]
        )
        return try positions(rows)
    }

    private func positions(_ rows: PostgresRows) throws -> [UserID: Int64] {
        var positions: [UserID: Int64] = [:]
        for row in rows {
            positions[try row.id("user_id", of: User.self)] = try row.decode("u", as: Int64.self)
        }
        return positions
    }

    /// The changes of users' lists, in one query.
    /// - Parameters:
    ///   - users: the users, and the number after which each one's changes are returned.
    ///   - limit: maximum changes per user, oldest first.
    /// - Returns: the changes, each user's in the order of their numbers.
    /// - Throws: `PostgresError`.
    public func changes(of users: [UserID: Int64], limit: Int) async throws -> [ListChange] {
        let users = Array(users)
        let rows = try await pool.query(
            Self.changesQuery,
            [
                .uuidArray(users.map(\.key.uuid)), .int64Array(users.map(\.value)),
                .int64(Int64(limit)),
            ]
        )
        return try rows.map { row in
            ListChange(
                user: try row.id("user_id", of: User.self),
                u: try row.decode("u", as: Int64.self),
                subject: try Self.subject(of: row)
            )
        }
    }

    private static func subject(of row: PostgresRow) throws -> ListChange.Subject {
        if let folders = try row.json("folders", as: [Folder].self) { return .folders(folders) }
        if let team = try row.optionalID("team", of: Team.self) {
            let isInIt = try row.decode("team_name", as: String?.self) != nil
            return try isInIt ? .team(Team(row: row)) : .left(team)
        }
        guard try row.decode("is_listed", as: Bool.self) else {
            return .unlisted(try row.id("conversation_id", of: Conversation.self))
        }
        var summary = try Conversation(row: row)
        summary.systemPrompt = nil
        summary.systemPromptVersion = nil
        return .listed(summary)
    }

    /// The members of a conversation are aggregated once for all users whose lists it changed in.
    /// The planner expects `limit` changes per user, and would read whole tables for a few rows:
    /// LATERAL with OFFSET 0 makes it look them up row by row.
    private static let changesQuery = """
        WITH changes AS (
            SELECT w.user_id, change.*
            FROM unnest($1::uuid[], $2::bigint[]) AS w (user_id, after)
            CROSS JOIN LATERAL (
                (
                    SELECT m.list_u AS u, m.conversation_id,
                        c.deleted_at IS NULL AND m.archived_at IS NULL AS is_listed,
                        NULL::uuid AS team_id, false AS is_folders
                    FROM members m JOIN conversations c ON c.id = m.conversation_id
                    WHERE m.user_id = w.user_id AND m.list_u > w.after
                    ORDER BY m.list_u LIMIT $3
                ) UNION ALL (
                    SELECT l.u, l.conversation_id, false, NULL::uuid, false FROM unlisted l
                    WHERE l.user_id = w.user_id AND l.u > w.after
                    ORDER BY l.u LIMIT $3
                ) UNION ALL (
                    SELECT t.u, NULL::uuid, false, t.team_id, false FROM team_changes t
                    WHERE t.user_id = w.user_id AND t.u > w.after
                    ORDER BY t.u LIMIT $3
                ) UNION ALL (
                    SELECT p.folders_u, NULL::uuid, false, NULL::uuid, true FROM list_positions p
                    WHERE p.user_id = w.user_id AND p.folders_u > w.after
                )
                ORDER BY u LIMIT $3
            ) change
        ), people AS (
            SELECT listed.conversation_id, everybody.members
            FROM (SELECT DISTINCT conversation_id FROM changes WHERE is_listed) listed
            CROSS JOIN LATERAL (
                SELECT \(ConversationSelection.members) AS members
                FROM members m JOIN users u ON u.id = m.user_id
                WHERE m.conversation_id = listed.conversation_id
            ) everybody
        )
        SELECT changes.user_id, changes.u, changes.conversation_id, changes.is_listed,
            changes.team_id AS team, team.name AS team_name, team.role AS team_role,
            team.retention_days, CASE WHEN changes.is_folders THEN (
                SELECT coalesce(
                    json_agg(
                        json_build_object('id', f.id, 'name', f.name) ORDER BY lower(f.name), f.id
                    ),
                    '[]'
                )
                FROM folders f WHERE f.user_id = changes.user_id
            )::text END AS folders,
            \(ConversationSelection.columns(members: "people.members"))
        FROM changes
        LEFT JOIN LATERAL (
            SELECT * FROM members m
            WHERE m.user_id = changes.user_id AND m.conversation_id = changes.conversation_id
            OFFSET 0
        ) me ON changes.is_listed
        LEFT JOIN conversations c ON c.id = me.conversation_id
        \(SystemPromptSelection.join)
        LEFT JOIN people ON people.conversation_id = me.conversation_id
        LEFT JOIN LATERAL (
            SELECT t.name, m.role, t.retention_days
            FROM team_members m JOIN teams t ON t.id = m.team_id
            WHERE m.team_id = changes.team_id AND m.user_id = changes.user_id
            OFFSET 0
        ) team ON changes.team_id IS NOT NULL
        ORDER BY changes.user_id, changes.u
        """
}

/// The last conversation of a page: whether it is pinned, its last activity in microseconds, and
/// its id.
private struct ListCursor: CustomStringConvertible {
    private static let pinnedPrefix = "p"

    let isPinned: Bool
    let microseconds: Int64
    let conversation: ConversationID

    init(_ text: String) throws(WireError) {
        isPinned = text.hasPrefix(Self.pinnedPrefix)
        let parts = text.dropFirst(isPinned ? Self.pinnedPrefix.count : 0).split(separator: "_")
        guard parts.count == 2, let microseconds = Int64(parts[0]),
            let conversation = ConversationID(String(parts[1]))
        else { throw WireError(.badRequest, "invalid cursor: list again without one") }
        self.microseconds = microseconds
        self.conversation = conversation
    }

    init(row: PostgresRow) throws {
        isPinned = try row.decode("is_pinned", as: Bool.self)
        let date = try row.decode("activity_at", as: Date.self)
        microseconds = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
        conversation = try row.id("id", of: Conversation.self)
    }

    var description: String {
        "\(isPinned ? Self.pinnedPrefix : "")\(microseconds)_\(conversation)"
    }
}
