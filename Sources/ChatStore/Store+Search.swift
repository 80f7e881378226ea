// Finding messages: full text over what the asker may see.

public import ChatProtocol
import Postgres

/// The marks around a match in a headline. Neither can be typed, and text that holds them anyway is
/// only marked in the wrong place.
private let matchStart: Character = "\u{2}"
private let matchEnd: Character = "\u{3}"

extension Store {
    /// A page of the messages that hold every word of the query, or a word that begins so; newest
    /// first.
    /// - Throws: `WireError.badRequest` where the query holds no word.
    public func search(
        _ request: SearchRequest,
        for user: UserID,
        limit: Int
    ) async throws -> SearchReply {
        let words = request.query.split { !($0.isLetter || $0.isNumber) }
        guard !words.isEmpty, words.count <= 20 else {
            throw WireError(.badRequest, "query must hold 1 to 20 words")
        }
        let cursor = try request.cursor.map { text throws(WireError) in
            guard let id = MessageID(text) else {
                throw WireError(.badRequest, "cursor is none that this server gave")
            }
            return id
        }
        let rows = try await pool.query(
            """
            SELECT m.conversation_id, c.title, m.id,
                ts_headline(
                    'simple', left(m.body, 20000), q,
                    'StartSel=' || chr(2) || ', StopSel=' || chr(3)
                        || ', MaxWords=24, MinWords=12, MaxFragments=1')
            FROM to_tsquery('simple', $2) q
            CROSS JOIN members me
            JOIN conversations c ON c.id = me.conversation_id AND c.deleted_at IS NULL
            JOIN messages m ON m.conversation_id = c.id AND m.search @@ q
                AND m.deleted_at IS NULL
            WHERE me.user_id = $1 AND ($3::uuid IS NULL OR c.id = $3)
                AND ($4::uuid IS NULL OR m.id < $4)
            ORDER BY m.id DESC LIMIT $5
            """,
            [
                .uuid(user), .text(words.map { "\($0):*" }.joined(separator: " & ")),
                .optional(request.conversation), .optional(cursor), .int64(Int64(limit) + 1),
            ]
        )
        let results = try rows.prefix(limit).map { row in
            SearchResult(
                conversation: try row.id(0, of: Conversation.self),
                title: try row.decode(1, as: String.self),
                message: try row.id(2, of: Message.self),
                snippet: Self.parts(of: try row.decode(3, as: String.self))
            )
        }
        return SearchReply(
            results: results,
            cursor: rows.count > limit ? results.last?.message.description : nil
        )
    }

    /// A headline's marked text as pieces.
    static func parts(of headline: String) -> [SnippetPart] {
        var parts: [SnippetPart] = []
        var text = ""
        var match = false
        for character in headline {
            guard character == matchStart || character == matchEnd else {
                text.append(character)
                continue
            }
            if !text.isEmpty { parts.append(SnippetPart(text: text, match: match)) }
            text = ""
            match = character == matchStart
        }
        if !text.isEmpty { parts.append(SnippetPart(text: text, match: match)) }
        return parts
    }
}
