// Conversations: creating, reading, changing and deleting them.

import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// The result of a transaction, with its events.
public struct Committed<Value> {
    /// The value for the reply.
    public let value: Value
    /// The durable events of the transaction, in the order of their numbers.
    public let events: [ServerEvent]
    /// The answers that it added to the queue.
    public var queued: [QueueRow] = []
    /// The value's JSON, if it was stored under a key.
    public var text: [UInt8]?
}

/// The columns of a conversation as member `me` sees it.
enum ConversationSelection {
    /// The members `m`, with their users `u`, as JSON: owners first.
    static let members = """
        json_agg(
            json_build_object(
                'user', json_build_object('id', u.id, 'name', u.name), 'role', m.role)
            ORDER BY m.role = 'owner' DESC, m.joined_at, u.id
        )::text
        """

    /// The columns.
    /// - Parameter members: an expression for the members' JSON.
    /// - Returns: the list of columns, for a SELECT.
    static func columns(members: String) -> String {
        """
        c.id, c.title, c.model, \(GenerationSettings.columns), c.event_number,
        c.created_at, me.activity_at, \(role) AS role, \(members) AS members, me.list_u,
        me.unread,
        (SELECT count(*) FROM generations g WHERE g.conversation_id = c.id) AS running,
        c.context_policy, c.team_id, c.is_open, c.expires_at,
        me.archived_at IS NOT NULL AS is_archived, me.pinned_at IS NOT NULL AS is_pinned,
        me.folder_id, me.tags,
        (
            SELECT count(*) FROM mentions named
            JOIN messages said ON said.conversation_id = named.conversation_id
                AND said.id = named.message_id AND said.deleted_at IS NULL
            WHERE named.user_id = me.user_id AND named.conversation_id = me.conversation_id
                AND named.n > me.read_n
        ) AS mention_count, \(SystemPromptSelection.columns)
        """
    }

    /// The effective role, as `Standing.effectiveRole`: team viewers cannot write.
    private static let role = """
        CASE WHEN c.team_id IS NOT NULL AND EXISTS (
            SELECT FROM team_members tm
            WHERE tm.team_id = c.team_id AND tm.user_id = me.user_id AND tm.role = 'viewer'
        ) THEN 'viewer' ELSE me.role END
        """
}

/// A conversation as member `$1` sees it.
let conversationSelection = """
    SELECT \(ConversationSelection.columns(members: """
        (
            SELECT \(ConversationSelection.members)
            FROM members m JOIN users u ON u.id = m.user_id
            WHERE m.conversation_id = c.id
        )
        """))
    FROM members me JOIN conversations c ON c.id = me.conversation_id
    \(SystemPromptSelection.join)
    WHERE me.user_id = $1 AND c.deleted_at IS NULL
    """

/// Conversations, their members, and users' rights in them.
public struct ConversationStore {
    let pool: StorePool

    /// Creates a conversation. Repeating the key returns the first reply and creates nothing.
    /// - Parameters:
    ///   - request: the request.
    ///   - model: the model that answers.
    ///   - systemPrompt: its system prompt if the request has none; nil for the server's.
    ///   - user: its owner.
    /// - Returns: the conversation.
    /// - Throws: `WireError.conflict` if the key was used for a different request.
    public func create(
        _ request: ConversationCreateRequest,
        model: String,
        systemPrompt: String? = nil,
        by user: UserID
    ) async throws -> Conversation {
        let keyed = try KeyedRequest(request.key, of: user, hash: RequestHash.of(request))
        return try await pool.keyed { transaction in
            let reply = try await transaction.replay(of: keyed, as: Conversation.self)
            if let reply { return reply }
            if let team = request.team {
                try await transaction.require(.write, of: user, in: team)
            }
            let taken = try await transaction.libraryText(request.library, for: user)
            let id = ConversationID.make()
            _ = try await transaction.query(
                """
                INSERT INTO conversations
                    (id, title, context_policy, model, temperature, top_p, max_tokens, team_id,
                    expires_at, seed, stop_strings, max_thinking_tokens)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 second', $10, $11,
                    $12)
                """,
                [
                    .uuid(id), .text(request.title ?? ""),
                    .text((request.contextPolicy ?? .dropOldest).rawValue), .text(model),
                    .optional(request.settings?.temperature), .optional(request.settings?.topP),
                    .optional(request.settings?.maxTokens), .optional(request.team),
                    .optional(request.expiresIn), .optional(request.settings?.seed),
                    (request.settings ?? GenerationSettings()).stopValue,
                    .optional(request.settings?.maxThinkingTokens),
                ]
            )
            if let text = taken?.text ?? request.systemPrompt ?? systemPrompt {
                try await transaction.setSystemPrompt(text, from: taken?.source, of: id, by: user)
            }
            try await transaction.addOwner(user, of: id)
            let conversation = try await transaction.conversation(id, for: user)
            try transaction.keep(conversation, of: keyed)
            return conversation
        }
    }

    /// A conversation as one of its members sees it.
    /// - Throws: `WireError.notFound` if they are not a member.
    public func conversation(
        _ id: ConversationID,
        for user: UserID
    ) async throws -> Conversation {
        let rows = try await pool.query(
            conversationSelection + " AND c.id = $2",
            [.uuid(user), .uuid(id)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        return try Conversation(row: row)
    }

    /// Changes the fields of a conversation that the request names.
    public func update(
        _ request: ConversationUpdateRequest,
        by user: UserID
    ) async throws -> Committed<Conversation> {
        try await pool.transaction { transaction in
            let taken = try await transaction.libraryText(request.library, for: user)
            let lock = try await transaction.lock(request.conversation, for: user, to: .change)
            try Self.check(request.open, lock)
            if let text = taken?.text ?? request.systemPrompt {
                try await transaction.setSystemPrompt(
                    text,
                    from: taken?.source,
                    of: request.conversation,
                    by: user
                )
            }
            _ = try await transaction.query(
                """
                UPDATE conversations SET
                    title = coalesce($2, title),
                    awaits_title = awaits_title AND $2 IS NULL,
                    system_prompt_id = CASE WHEN $3 THEN NULL ELSE system_prompt_id END,
                    temperature = CASE WHEN $4 THEN $5 ELSE temperature END,
                    top_p = CASE WHEN $4 THEN $6 ELSE top_p END,
                    max_tokens = CASE WHEN $4 THEN $7 ELSE max_tokens END,
                    event_number = $8,
                    model = coalesce($9, model),
                    context_policy = coalesce($10, context_policy),
                    is_open = coalesce($11, is_open),
                    seed = CASE WHEN $4 THEN $12 ELSE seed END,
                    stop_strings = CASE WHEN $4 THEN $13 ELSE stop_strings END,
                    max_thinking_tokens = CASE WHEN $4 THEN $14 ELSE max_thinking_tokens END,
                    updated_at = now()
                WHERE id = $1
                """,
                [
                    .uuid(request.conversation), .optional(request.title),
                    .bool(request.usesServerPrompt), .bool(request.settings != nil),
                    .optional(request.settings?.temperature), .optional(request.settings?.topP),
                    .optional(request.settings?.maxTokens), .int64(lock.eventNumber + 1),
                    .optional(request.model), .optional(request.contextPolicy?.rawValue),
                    .optional(request.open), .optional(request.settings?.seed),
                    (request.settings ?? GenerationSettings()).stopValue,
                    .optional(request.settings?.maxThinkingTokens),
                ]
            )
            try transaction.tellLists(of: request.conversation, .changed)
            let conversation = try await transaction.conversation(request.conversation, for: user)
            let event = try await transaction.record(
                ConversationChange(conversation),
                of: conversation
            )
            return Committed(value: conversation, events: [event])
        }
    }

    /// Throws if a conversation cannot be opened to its team: it belongs to none, or the asker may
    /// not.
    private static func check(_ open: Bool?, _ lock: LockedConversation) throws(WireError) {
        guard open != nil else { return }
        if let refusal = Permission.decide(.manageMembers, lock.standing).refusal { throw refusal }
        guard lock.team != nil else {
            throw WireError(.badRequest, "only a team's conversation can be open to it")
        }
    }

    /// Deletes a conversation for all members; its queued answers are removed.
    /// - Returns: the event, and the users who were members.
    public func delete(
        _ id: ConversationID,
        by user: UserID
    ) async throws -> Committed<[UserID]> {
        try await pool.transaction { transaction in
            let lock = try await transaction.lock(id, for: user, to: .delete)
            return try await transaction.deleteConversation(id, n: lock.eventNumber + 1)
        }
    }
}

extension StoreTransaction {
    func conversation(_ id: ConversationID, for user: UserID) async throws -> Conversation {
        let rows = try await query(
            conversationSelection + " AND c.id = $2",
            [.uuid(user), .uuid(id)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        return try Conversation(row: row)
    }

    /// Marks a conversation with a locked row as deleted.
    /// - Returns: the event, and the users who were members.
    func deleteConversation(
        _ id: ConversationID,
        n: Int64
    ) async throws -> Committed<[UserID]> {
        _ = try await query(
            "UPDATE conversations SET deleted_at = now(), event_number = $2 WHERE id = $1",
            [.uuid(id), .int64(n)]
        )
        // Nodes with runs in it are notified to stop them.
        _ = try await query(
            """
            WITH dropped AS (
                DELETE FROM generations WHERE conversation_id = $1 RETURNING lease_owner
            )
            SELECT pg_notify('\(WakeUp.channelPrefix)' || lease_owner,
                '\(WakeUp.Prefix.gone)' || $1)
            FROM dropped WHERE lease_owner IS DISTINCT FROM $2 AND lease_owner IS NOT NULL
            """,
            [.uuid(id), .uuid(node)]
        )
        try insertEvent(.conversationDeleted, n, in: id, payload: .null)
        try tellLists(of: id, .changed)
        let members = try await query(
            "SELECT user_id FROM members WHERE conversation_id = $1",
            [.uuid(id)]
        )
        return Committed(
            value: try members.map { try $0.id("user_id", of: User.self) },
            events: [.conversationDeleted(ConversationDeleted(conversation: id, n: n))]
        )
    }

    /// Inserts the event for a changed conversation, whose row is locked and whose number is
    /// allocated.
    func record(
        _ change: ConversationChange,
        of conversation: Conversation
    ) async throws -> ServerEvent {
        try insertEvent(
            .conversationUpdated,
            conversation.n,
            in: conversation.id,
            payload: .json(change)
        )
        return .conversationUpdated(
            ConversationUpdated(conversation: conversation.id, n: conversation.n, changed: change)
        )
    }
}

extension Conversation {
    /// Reads `ConversationSelection.columns`.
    init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: Conversation.self),
            title: try row.decode("title", as: String.self),
            systemPrompt: try row.decode("system_prompt", as: String.self),
            model: try row.decode("model", as: String.self),
            role: try row.word("role", as: Role.self),
            members: try row.json("members", as: [Member].self) ?? [],
            settings: try GenerationSettings(row: row),
            n: try row.decode("event_number", as: Int64.self),
            createdAt: try row.timestamp("created_at"),
            updatedAt: try row.timestamp("activity_at"),
            u: try row.decode("list_u", as: Int64.self),
            unread: Int(try row.decode("unread", as: Int32.self)),
            running: Int(try row.decode("running", as: Int64.self)),
            systemPromptVersion: try SystemPromptVersion(row: row),
            contextPolicy: try row.word("context_policy", as: ContextPolicy.self),
            team: try row.optionalID("team_id", of: Team.self),
            expiresAt: try row.optionalTimestamp("expires_at"),
            archived: try row.decode("is_archived", as: Bool.self) ? true : nil,
            pinned: try row.decode("is_pinned", as: Bool.self) ? true : nil,
            folder: try row.optionalID("folder_id", of: Folder.self)
        )
        let tags = try row.decode("tags", as: [String].self)
        if !tags.isEmpty { self.tags = tags }
        if team != nil { open = try row.decode("is_open", as: Bool.self) }
        let mentions = try row.decode("mention_count", as: Int64.self)
        if mentions > 0 { self.mentions = Int(mentions) }
    }
}

extension GenerationSettings {
    /// The settings' columns of a conversation `c`.
    static let columns = """
        c.temperature, c.top_p, c.max_tokens, c.seed, c.stop_strings, c.max_thinking_tokens
        """

    /// The stop strings as a column's value: null for none.
    var stopValue: PostgresValue {
        guard let stop, !stop.isEmpty else { return .null }
        return .textArray(stop)
    }

    /// Reads `columns`.
    init(row: PostgresRow) throws {
        self.init(
            temperature: try row.decode("temperature", as: Double?.self),
            topP: try row.decode("top_p", as: Double?.self),
            maxTokens: try row.decode("max_tokens", as: Int32?.self).map(Int.init),
            seed: try row.decode("seed", as: Int64?.self),
            stop: try row.decode("stop_strings", as: [String]?.self),
            maxThinkingTokens: try row.decode("max_thinking_tokens", as: Int32?.self).map(Int.init)
        )
    }
}

extension ConversationChange {
    /// The fields of a conversation that are the same for every reader.
    public init(_ conversation: Conversation) {
        self.init(
            title: conversation.title,
            systemPrompt: conversation.systemPrompt ?? "",
            model: conversation.model,
            settings: conversation.settings,
            systemPromptVersion: conversation.systemPromptVersion,
            contextPolicy: conversation.contextPolicy,
            open: conversation.open,
            team: conversation.team
        )
    }
}
