// Writes a conversation's batches into the tables.

import ChatProtocol
import FoundationEssentials
import Postgres
import Transfers

/// Writes a batch of an imported conversation, in one transaction.
struct ConversationWriter {
    let transaction: StoreTransaction
    let load: ConversationLoad
    let owner: ImportOwner
    /// The model for conversations that name none.
    let defaultModel: String

    /// Writes the batch; before the first one, the conversation's row.
    func writeBatch() async throws {
        if !load.isBegun { try await insertHidden() }
        try insertPrompts()
        try insertMessages()
    }

    /// Inserts the conversation's row, marked as deleted until the import is complete.
    private func insertHidden() async throws {
        let record = load.record
        let settings = record.settings.withinBounds
        let team: TeamID? = owner.user == nil ? record.team : nil
        _ = try await transaction.query(
            """
            INSERT INTO conversations
                (id, title, team_id, model, temperature, top_p, max_tokens, context_policy,
                created_at, updated_at, deleted_at, is_open, seed, stop_strings,
                max_thinking_tokens)
            VALUES ($1, $2, (SELECT id FROM teams WHERE id = $3), $4, $5, $6, $7, $8,
                \(TransferStore.time("$9")), \(TransferStore.time("$10")), now(),
                $11 AND EXISTS (SELECT FROM teams WHERE id = $3), $12, $13, $14)
            """,
            [
                .uuid(load.target), .text(ImportedText(record.title, atMost: 500).text),
                .optional(team),
                .text(
                    record.model.isEmpty
                        ? defaultModel : ImportedText(record.model, atMost: 200).text
                ),
                .optional(settings.temperature), .optional(settings.topP),
                .optional(settings.maxTokens), .text(record.contextPolicy.rawValue),
                .int64(record.createdAt.milliseconds), .int64(record.updatedAt.milliseconds),
                .bool(record.isOpen == true), .optional(settings.seed), settings.stopValue,
                .optional(settings.maxThinkingTokens),
            ]
        )
        let source = TransferImport.source(of: record)
        let noted = try await transaction.query(
            """
            INSERT INTO imports AS i (owner_id, source_system, source_id, conversation_id)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (owner_id, source_system, source_id) DO UPDATE
                SET conversation_id = excluded.conversation_id, is_complete = false
                WHERE i.conversation_id = $5
            """,
            [
                .optional(owner.user?.id), .text(source.system), .text(source.id),
                .uuid(load.target), .optional(load.replaced),
            ]
        )
        guard noted.affectedRowCount == 1 else {
            throw WireError(.conflict, ImportReason.taken.sentence)
        }
    }

    private func insertPrompts() throws {
        guard !load.batch.prompts.isEmpty else { return }
        let rows = load.batch.prompts.map { prompt in
            PromptRow(
                id: prompt.id,
                version: prompt.version,
                body: prompt.text,
                author: prompt.author,
                library: prompt.library,
                created: prompt.createdAt.milliseconds
            )
        }
        try transaction.send(
            """
            INSERT INTO system_prompts
                (id, conversation_id, version, body, author_id, library, created_at)
            SELECT CASE WHEN p.id IS NULL THEN x.id ELSE gen_random_uuid() END, $1, x.version,
                x.body, x.author, x.library, \(TransferStore.time("x.created"))
            FROM json_to_recordset($2::json) AS x (id uuid, version integer, body text,
                author uuid, library jsonb, created bigint)
            LEFT JOIN system_prompts p ON p.id = x.id
            ON CONFLICT (conversation_id, version) DO NOTHING
            """,
            [.uuid(load.target), .rows(rows)]
        )
    }

    private func insertMessages() throws {
        guard !load.batch.messages.isEmpty else { return }
        let rows = load.batch.messages.compactMap { message in
            MessageRow(message.record, receipt: message.receipt, n: message.n, in: load)
        }
        try transaction.send(
            """
            INSERT INTO messages
                (conversation_id, id, parent_id, depth, role, author_id, author_name, body, state,
                run_id, finish, usage, error, model, dropped_messages, summarized_messages,
                continues_id, created_at, created_n, receipt)
            SELECT $1, x.id, x.parent, x.depth, x.role, x.author, x.speaker, x.body, x.state,
                x.run, x.finish, x.usage, x.error, x.model, x.dropped, x.summarized,
                x.continues, \(TransferStore.time("x.created")), x.n, x.receipt::jsonb
            FROM json_to_recordset($2::json) AS x (id uuid, parent uuid, depth integer, role text,
                author uuid, speaker text, body text, state text, run uuid, finish text,
                usage jsonb, error jsonb, model text, dropped integer, summarized integer,
                continues uuid, created bigint, n bigint, receipt text)
            """,
            [.uuid(load.target), .rows(rows)]
        )
        try transaction.send(
            """
            INSERT INTO events (conversation_id, n, name, message_id)
            SELECT $1, c.n, $4, c.id FROM unnest($2::uuid[], $3::bigint[]) AS c (id, n)
            """,
            [
                .uuid(load.target), .uuidArray(rows.map(\.id.uuid)), .int64Array(rows.map(\.n)),
                .text(ServerEvent.Name.messageCreated.rawValue),
            ]
        )
        try insertMentions()
        try insertNotes()
    }

    /// Inserts the mentions in the batch's messages.
    private func insertMentions() throws {
        let rows = load.batch.messages.flatMap { entry -> [MentionRow] in
            guard let id = load.id(of: entry.record.id) else { return [] }
            let named = entry.record.mentions ?? []
            return named.map { MentionRow(message: id, named: $0, n: entry.n) }
        }
        guard !rows.isEmpty else { return }
        try transaction.send(
            """
            INSERT INTO mentions (conversation_id, message_id, user_id, n)
            SELECT $1, x.message, u.id, x.n
            FROM json_to_recordset($2::json) AS x (message uuid, named uuid, n bigint)
            JOIN users u ON u.id = x.named AND u.deleted_at IS NULL
            ON CONFLICT DO NOTHING
            """,
            [.uuid(load.target), .rows(rows)]
        )
    }

    /// Inserts feedback and summaries of the batch's messages.
    private func insertNotes() throws {
        let feedback = load.batch.feedback.map { feedback in
            FeedbackRow(
                message: load.id(of: feedback.message),
                rater: feedback.user,
                rating: feedback.rating,
                text: feedback.text,
                given: feedback.givenAt.milliseconds
            )
        }
        if !feedback.isEmpty {
            try transaction.send(
                """
                INSERT INTO feedback (conversation_id, message_id, user_id, rating, text, given_at)
                SELECT $1, x.message, x.rater, x.rating, x.text, \(TransferStore.time("x.given"))
                FROM json_to_recordset($2::json)
                    AS x (message uuid, rater uuid, rating smallint, text text, given bigint)
                ON CONFLICT DO NOTHING
                """,
                [.uuid(load.target), .rows(feedback)]
            )
        }
        let summaries = load.batch.summaries.map { summary in
            SummaryRow(
                id: summary.id,
                through: load.id(of: summary.through),
                messages: summary.messages,
                body: ImportedText(summary.text, atMost: 65536).text,
                receipt: summary.receipt,
                created: summary.createdAt.milliseconds
            )
        }
        guard !summaries.isEmpty else { return }
        try transaction.send(
            """
            INSERT INTO summaries
                (id, conversation_id, through_id, message_count, body, receipt, created_at)
            SELECT CASE WHEN s.id IS NULL THEN x.id ELSE gen_random_uuid() END, $1, x.through,
                x.messages, x.body, x.receipt::jsonb, \(TransferStore.time("x.created"))
            FROM json_to_recordset($2::json) AS x (id uuid, through uuid, messages integer,
                body text, receipt text, created bigint)
            LEFT JOIN summaries s ON s.id = x.id
            ON CONFLICT (conversation_id, through_id) DO NOTHING
            """,
            [.uuid(load.target), .rows(summaries)]
        )
    }

    /// Makes the conversation visible to its members.
    /// - Returns: the members.
    func reveal() async throws -> [UserID] {
        _ = try await transaction.query(
            """
            UPDATE conversations c SET deleted_at = NULL, event_number = $2, leaf_id = $3,
                system_prompt_id = (
                    SELECT p.id FROM system_prompts p
                    WHERE p.conversation_id = c.id AND p.version = $4
                )
            WHERE c.id = $1
            """,
            [
                .uuid(load.target), .int64(load.lastNumber),
                .optional(load.id(of: load.record.leaf) ?? load.id(of: load.newest)),
                .optional(load.record.systemPromptVersion),
            ]
        )
        _ = try await transaction.query(
            "UPDATE imports SET is_complete = true WHERE conversation_id = $1",
            [.uuid(load.target)]
        )
        let rows = try await transaction.query(
            """
            WITH x AS (
                SELECT x.* FROM json_to_recordset($2::json)
                    AS x (member uuid, role text, joined bigint, selected uuid, archived bigint,
                        pinned bigint, folder text, tags text[], unread uuid)
                JOIN users u ON u.id = x.member AND u.deleted_at IS NULL
                JOIN conversations c ON c.id = $1
                WHERE c.team_id IS NULL OR EXISTS (
                    SELECT FROM team_members t
                    WHERE t.team_id = c.team_id AND t.user_id = x.member
                )
            ), made AS (
                INSERT INTO folders AS f (id, user_id, name)
                SELECT gen_random_uuid(), x.member, normalize(x.folder) FROM x
                WHERE x.folder IS NOT NULL AND (
                    SELECT count(*) FROM folders o WHERE o.user_id = x.member
                ) < \(FolderStore.foldersMax)
                ON CONFLICT (user_id, lower(name)) DO NOTHING
                RETURNING f.id, f.user_id
            ), counted AS (
                -- One number for the conversation, and one before it for a new folder.
                INSERT INTO list_positions AS p (user_id, u, folders_u)
                SELECT x.member, count(made.id) + 1, count(made.id)
                FROM x LEFT JOIN made ON made.user_id = x.member
                GROUP BY x.member ORDER BY x.member
                ON CONFLICT (user_id) DO UPDATE SET u = p.u + excluded.u,
                    folders_u = CASE excluded.folders_u WHEN 0 THEN p.folders_u ELSE p.u + 1 END
                RETURNING p.user_id, p.u
            )
            INSERT INTO members (conversation_id, user_id, role, list_u, joined_at, activity_at,
                read_n, unread, selected_id, archived_at, pinned_at, folder_id, tags)
            SELECT $1, x.member, x.role, counted.u, \(TransferStore.time("x.joined")),
                \(TransferStore.time("$3")), coalesce(said.created_n - 1, $4), (
                    SELECT count(*) FROM events e
                    JOIN messages m ON m.conversation_id = e.conversation_id
                        AND m.id = e.message_id
                    WHERE e.conversation_id = $1 AND e.n >= said.created_n
                        AND m.author_id IS DISTINCT FROM x.member
                ), x.selected, \(TransferStore.time("x.archived")),
                CASE WHEN x.archived IS NULL AND (
                    SELECT count(*) FROM members p
                    WHERE p.user_id = x.member AND p.pinned_at IS NOT NULL
                ) < \(ListStore.pinsMax) THEN \(TransferStore.time("x.pinned")) END,
                coalesce(made.id, known.id), (
                    SELECT coalesce(array_agg(tag ORDER BY lower(tag), tag), '{}')
                    FROM (SELECT DISTINCT normalize(t) AS tag FROM unnest(x.tags) AS t) tagged
                )
            FROM counted JOIN x ON x.member = counted.user_id
            LEFT JOIN made ON made.user_id = x.member
            LEFT JOIN folders known ON known.user_id = x.member
                AND lower(known.name) = lower(normalize(x.folder))
            LEFT JOIN messages said ON said.conversation_id = $1 AND said.id = x.unread
            RETURNING user_id
            """,
            [
                .uuid(load.target), .rows(members()),
                .int64(load.record.updatedAt.milliseconds), .int64(load.lastNumber),
            ]
        )
        return try rows.map { try $0.id("user_id", of: User.self) }
    }

    /// The members: the importer alone, or the original ones.
    private func members() -> [ImportedMember] {
        var seen: Set<UserID> = []
        let members = load.members.filter { seen.insert($0.user).inserted }
        if let user = owner.user {
            let own = members.first { $0.user == user.id }
            return [ImportedMember(own, user.id, as: .owner, of: load)]
        }
        return members.map { ImportedMember($0, $0.user, as: $0.role, of: load) }
    }
}

extension PostgresValue {
    /// Rows for `json_to_recordset`.
    fileprivate static func rows(_ rows: [some Encodable]) -> PostgresValue {
        .text(String(decoding: WireEncoding.text(rows), as: UTF8.self))
    }
}
