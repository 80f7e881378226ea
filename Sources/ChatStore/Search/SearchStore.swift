// Searches messages that the asker can see.

import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// Search in messages.
public struct SearchStore {
    let pool: StorePool
    /// Thresholds for choosing a statement.
    package var bounds = SearchBounds()

    /// A page of the messages that contain every term of the query: first those in which the terms
    /// begin words, then those in which they are in the middle of words; newest first in each.
    /// - Parameters:
    ///   - request: the query and its filters.
    ///   - user: the user.
    ///   - limit: maximum messages.
    /// - Returns: the page.
    /// - Throws: `WireError.badRequest` if the query has no word, or the cursor is invalid;
    ///   `.limitExceeded` if it takes too long.
    public func page(
        _ request: SearchRequest,
        for user: UserID,
        limit: Int
    ) async throws -> SearchReply {
        let query = try SearchQuery(request.query)
        let cursor = try request.cursor.map { try SearchCursor($0) }
        do {
            return try await pool.transaction { transaction in
                try transaction.prepareSearch()
                // A conversation given by id is always listed.
                let isNamed = request.conversation != nil
                let listedMax = isNamed ? max(1, bounds.listedMax) : bounds.listedMax
                let scope = try transaction.sendScope(request, of: user, limit: listedMax + 1)
                guard
                    let conditions = try await transaction.conditions(query, request, for: user)
                else { return SearchReply(results: [], cursor: nil) }
                let search = RunningSearch(
                    transaction: transaction,
                    conditions: conditions,
                    scope: try await SearchScope(scope.rows(), listedMax: listedMax),
                    bounds: bounds
                )
                return try await search.page(after: cursor, limit: limit)
            }
        } catch PostgresError.server(let error) where error.sqlState == .queryCanceled {
            throw WireError(
                .limitExceeded,
                "the search takes too long: use a longer word, or name a conversation or dates"
            )
        }
    }
}

extension StoreTransaction {
    /// Timeout of a search statement, in milliseconds.
    private static let millisecondsMax = 3000

    /// Plans for the actual parameters, without JIT; memory for exact bitmaps, not lossy ones; a
    /// timeout.
    fileprivate func prepareSearch() throws {
        try send(
            """
            SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
                set_config('jit', 'off', true),
                set_config('max_parallel_workers_per_gather', '0', true),
                set_config('work_mem', '32MB', true),
                set_config('statement_timeout', '\(Self.millisecondsMax)', true)
            """
        )
    }

    /// Requests the conversations to search, with their event numbers.
    fileprivate func sendScope(
        _ request: SearchRequest,
        of user: UserID,
        limit: Int
    ) throws -> Sent {
        try send(
            """
            SELECT c.id, c.event_number
            FROM members me
            JOIN users u ON u.id = me.user_id AND u.disabled_at IS NULL
            JOIN conversations c ON c.id = me.conversation_id AND c.deleted_at IS NULL
            WHERE me.user_id = $1 AND \(SearchStatement.isInTeam)
                AND ($2::uuid IS NULL OR c.id = $2) AND ($3::uuid IS NULL OR c.team_id = $3)
                AND ($5::uuid IS NULL OR me.folder_id = $5)
                AND ($6::text IS NULL OR me.tags @> ARRAY[normalize($6)])
            LIMIT $4
            """,
            [
                .uuid(user), .optional(request.conversation), .optional(request.team),
                .integer(limit), .optional(request.folder), .optional(request.tag),
            ]
        )
    }

    /// The conditions in terms of the index; nil if no user has the author's name.
    fileprivate func conditions(
        _ query: SearchQuery,
        _ request: SearchRequest,
        for user: UserID
    ) async throws -> SearchConditions? {
        let rows = try await self.query(
            """
            SELECT search_text(term.text) AS folded, (
                SELECT id FROM users WHERE lower(name) = lower($2) AND deleted_at IS NULL
            ) AS author
            FROM unnest($1::text[]) WITH ORDINALITY AS term (text, place) ORDER BY place
            """,
            [.textArray(query.terms.map(\.text)), .optional(request.author)]
        )
        let terms = try zip(rows, query.terms).compactMap { row, term in
            SearchTerm(folded: try row.decode("folded", as: String.self), isPhrase: term.isPhrase)
        }
        guard !terms.isEmpty else { throw WireError.badSearchQuery }
        let author = try rows.first?.optionalID("author", of: User.self)
        if request.author != nil, author == nil { return nil }
        return SearchConditions(
            user: user,
            terms: terms,
            team: request.team,
            folder: request.folder,
            tag: request.tag,
            author: author,
            from: request.from,
            to: request.to
        )
    }

    /// The results for matching messages.
    func results(
        of hits: [SearchHit],
        _ conditions: SearchConditions
    ) async throws -> [SearchResult] {
        if hits.isEmpty { return [] }
        let longest = conditions.terms.flatMap(\.words).max { $0.utf8.count < $1.utf8.count }
        // Of a long text, the part around the longest word; folding hardly changes its position.
        let rows = try await query(
            """
            SELECT \(StandingSelection.columns), message.id AS message, message.conversation_id,
                c.title, message.role, author.id AS author, author.name, message.created_at,
                CASE WHEN length(said.body) <= 2000 THEN said.body ELSE substr(
                    said.body,
                    greatest(1, strpos(search_fold(left(said.body, 100000)), $4) - 200), 1500)
                END AS part
            FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS hit (conversation_id, id, place)
            JOIN messages message ON message.conversation_id = hit.conversation_id
                AND message.id = hit.id AND message.deleted_at IS NULL
            CROSS JOIN LATERAL (
                SELECT search_body(message.role, message.body) AS body
            ) said
            JOIN conversations c ON c.id = message.conversation_id AND c.deleted_at IS NULL
            \(StandingSelection.joins(user: "$1"))
            LEFT JOIN users author ON author.id = message.author_id
            ORDER BY hit.place
            """,
            [
                .uuid(conditions.user), .uuidArray(hits.map(\.conversation.uuid)),
                .uuidArray(hits.map(\.message.uuid)), .text(longest ?? ""),
            ]
        )
        let texts = try rows.map { try $0.decode("part", as: String.self) }
        let folding = try await folding(of: texts)
        return try zip(rows, texts).compactMap { row, text in
            guard Permission.decide(.read, try row.standing()) == .granted else { return nil }
            return SearchResult(
                conversation: try row.id("conversation_id", of: Conversation.self),
                title: try row.decode("title", as: String.self),
                message: try row.id("message", of: Message.self),
                role: try row.word("role", as: MessageRole.self),
                author: try row.optionalID("author", of: User.self).map { id in
                    User(id: id, name: try row.decode("name", as: String.self))
                },
                createdAt: try row.timestamp("created_at"),
                snippet: Snippet(text, terms: conditions.terms, folding: folding).parts
            )
        }
    }

    /// How each character outside ASCII is folded.
    private func folding(of texts: [String]) async throws -> [Character: String] {
        let characters = Array(Set(texts.joined().lazy.filter { !$0.isASCII }))
        if characters.isEmpty { return [:] }
        let rows = try await query(
            """
            SELECT search_text(c.text) FROM unnest($1::text[]) WITH ORDINALITY AS c (text, place)
            ORDER BY place
            """,
            [.textArray(characters.map { String($0) })]
        )
        let folded = try rows.map { try $0.decode(as: String.self) }
        return Dictionary(zip(characters, folded)) { first, _ in first }
    }
}
