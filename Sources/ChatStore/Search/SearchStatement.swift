// The statements of a search: one set of conditions, and three ways to find matching messages.
// Which one is fastest depends on how much the asker can see and how common the words are;
// RunningSearch.swift chooses, and docs/develop/search.md gives the costs.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// Thresholds for choosing a statement; docs/develop/search.md explains them.
package struct SearchBounds: Sendable {
    /// Maximum conversations of the asker that are counted.
    package var listedMax = 2000
    /// Maximum messages in them to be read one by one.
    package var readMax: Int64 = 6000
    /// How many of the newest messages of all to read in search of words.
    package var walkMax = 8000
    /// The same for pieces of words, which cost several times as much per message.
    package var pieceWalkMax = 1000
    /// The same if the asker's conversations were counted, which are checked first.
    package var listedWalkMax = 32000
    package var listedPieceWalkMax = 16000
    /// Expected messages from which on the index is queried in time slices.
    package var sliceMin = 1000.0

    /// The defaults, which were measured.
    package init() {}
}

/// A statement under construction, with its parameters.
struct SearchStatement {
    private(set) var values: [PostgresValue] = []
    private let conditions: SearchConditions
    private let phase: SearchConditions.Phase
    private let before: MessageID?

    init(
        _ conditions: SearchConditions,
        _ phase: SearchConditions.Phase,
        before: MessageID?
    ) {
        self.conditions = conditions
        self.phase = phase
        self.before = before
    }

    /// For askers who can see little: reads each of their conversations.
    mutating func reading(_ conversations: [ConversationID], count: Int) -> String {
        """
        SELECT hit.conversation_id, hit.id
        FROM unnest(\(bind(conversations))) AS mine (id)
        CROSS JOIN LATERAL (
            SELECT m.conversation_id, m.id FROM messages m
            WHERE m.conversation_id = mine.id AND \(matches())
            ORDER BY m.id DESC LIMIT \(bind(.integer(count)))
        ) hit
        ORDER BY hit.id DESC LIMIT \(bind(.integer(count)))
        """
    }

    /// For common words: reads the newest messages of all in the requested time, until the page is
    /// full.
    mutating func walking(
        past rowCount: Int,
        in conversations: [ConversationID]?,
        count: Int
    ) -> String {
        var bounds: [String] = []
        if let last { bounds.append("id < \(bind(.uuid(last.uuid)))") }
        if let first { bounds.append("id >= \(bind(.uuid(first.uuid)))") }
        let newest = """
            SELECT * FROM messages
            WHERE \(bounds.isEmpty ? "true" : bounds.joined(separator: " AND "))
            ORDER BY id DESC LIMIT \(bind(.integer(rowCount)))
            """
        let mine =
            if let conversations {
                "SELECT WHERE m.conversation_id = ANY (\(bind(conversations)))"
            } else {
                visible("m.conversation_id")
            }
        return """
            SELECT m.conversation_id, m.id FROM (\(newest)) m CROSS JOIN LATERAL (\(mine)) mine
            WHERE \(matches())
            ORDER BY m.id DESC LIMIT \(bind(.integer(count)))
            """
    }

    /// For rare words: all messages that the index returns, and of these the newest that the asker
    /// can see. If the asker's conversations were counted, the planner may start with either.
    /// - Parameters:
    ///   - asked: the entries for which the index is used.
    ///   - conversations: the asker's conversations, if they were counted.
    ///   - slice: the time slice.
    ///   - count: maximum messages.
    /// - Returns: the statement.
    mutating func looking(
        for asked: Set<String>,
        in conversations: [ConversationID]?,
        slice: SearchSlice,
        count: Int
    ) -> String {
        let mine = conversations.map { "m.conversation_id = ANY (\(bind($0))) AND " } ?? ""
        let visibility =
            conversations == nil ? "CROSS JOIN LATERAL (\(visible("m.conversation_id"))) mine" : ""
        // Expensive conditions, and those on other tables, are evaluated message by message until
        // there are enough: hence it sorts first.
        let texts = comparisons("whole")
        let comparison =
            texts.isEmpty
            ? ""
            : """
            CROSS JOIN LATERAL (
                SELECT FROM messages whole
                WHERE whole.conversation_id = m.conversation_id AND whole.id = m.id
                    AND \(texts.joined(separator: " AND "))
                OFFSET 0
            ) same
            """
        return """
            WITH found AS MATERIALIZED (
                SELECT m.conversation_id, m.id FROM messages m
                WHERE \(mine)\(entriesMatch(asked, slice).joined(separator: " AND "))
            )
            SELECT m.conversation_id, m.id
            FROM (SELECT * FROM found ORDER BY id DESC OFFSET 0) m
            \(visibility) \(comparison)
            ORDER BY m.id DESC LIMIT \(bind(.integer(count)))
            """
    }

    private mutating func bind(_ conversations: [ConversationID]) -> String {
        bind(.uuidArray(conversations.map(\.uuid)))
    }

    private mutating func bind(_ value: PostgresValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    /// A row if the asker can see a conversation, and it was requested.
    private mutating func visible(_ conversation: String) -> String {
        """
        SELECT FROM members me
        JOIN conversations c ON c.id = me.conversation_id AND c.deleted_at IS NULL
        WHERE me.conversation_id = \(conversation) AND me.user_id = \(bind(.uuid(conditions.user)))
            AND \(Self.isInTeam)
            \(conditions.team.map { "AND c.team_id = \(bind(.uuid($0)))" } ?? "")
            \(conditions.folder.map { "AND me.folder_id = \(bind(.uuid($0)))" } ?? "")
            \(conditions.tag.map { "AND me.tags @> ARRAY[normalize(\(bind(.text($0))))]" } ?? "")
        OFFSET 0
        """
    }

    /// Whether member `me` is in the team of conversation `c`, if it has one.
    static let isInTeam = """
        (c.team_id IS NULL OR EXISTS (
            SELECT FROM team_members t WHERE t.team_id = c.team_id AND t.user_id = me.user_id))
        """

    /// The conditions on message `m`.
    private mutating func matches() -> String {
        (entriesMatch(Set(conditions.askable)) + comparisons("m")).joined(separator: " AND ")
    }

    /// Index conditions on message `m`.
    /// - Parameters:
    ///   - asked: the entries for which the index is used; the others are checked on its matches.
    ///   - slice: the time slice, if the index of words is used.
    /// - Returns: conditions joined by AND.
    private mutating func entriesMatch(
        _ asked: Set<String>,
        _ slice: SearchSlice? = nil
    ) -> [String] {
        var clauses = ["m.deleted_at IS NULL"]
        // When the index of words is used, the planner must not gather half of all messages from
        // the index of ids.
        let plainly = slice == nil ? "" : "IS TRUE"
        if let before { clauses.append("(m.id < \(bind(.uuid(before.uuid)))) \(plainly)") }
        if let end = slice?.end { clauses.append("(m.id < \(bind(.uuid(end.uuid)))) \(plainly)") }
        if let first = slice?.first {
            clauses.append("(m.id >= \(bind(.uuid(first.uuid)))) \(plainly)")
        }
        if let from = conditions.from {
            clauses.append("m.created_at >= \(bind(.date(from.date)))")
        }
        if let to = conditions.to { clauses.append("m.created_at < \(bind(.date(to.date)))") }
        let entries = conditions.entries(phase)
        let named = entries.filter(asked.contains) + (slice?.months.map { [$0.entry] } ?? [])
        if !named.isEmpty {
            let query = named.joined(separator: " & ")
            clauses.append("m.search @@ \(bind(.text(query)))::tsquery")
        }
        let others = entries.filter { !asked.contains($0) }
        if !others.isEmpty {
            // The operator's function, which cannot use the index.
            let query = others.joined(separator: " & ")
            clauses.append("ts_match_vq(m.search, \(bind(.text(query)))::tsquery)")
        }
        let pieces = conditions.pieces(phase)
        if !pieces.isEmpty {
            // If all of them begin words, the first phase returned the message.
            let query = SearchConditions.entries(of: pieces).joined(separator: " & ")
            clauses.append("NOT m.search @@ \(bind(.text(query)))::tsquery")
        }
        for piece in pieces {
            guard let pattern = piece.piecePattern else { continue }
            let text = "search_fold(left(m.body, 100000))"
            let isAsked = !asked.isDisjoint(with: SearchConditions.entries(of: [piece]))
            // The operator's function, which cannot use the index.
            clauses.append(
                isAsked
                    ? "\(text) LIKE \(bind(.text(pattern)))"
                    : "textlike(\(text), \(bind(.text(pattern))))"
            )
            // The index of pieces has thinking parts too, which are not searched.
            let searched = "search_fold(left(search_body(m.role, m.body), 100000))"
            clauses.append(
                "(NOT starts_with(m.body, '<think>') "
                    + "OR textlike(\(searched), \(bind(.text(pattern)))))"
            )
        }
        return clauses
    }

    /// Conditions that compare the text itself. Most texts are ASCII, which is compared fast.
    private mutating func comparisons(_ message: String) -> [String] {
        let whole = conditions.whole(phase)
        let patterns = whole.compactMap(\.pattern)
        if patterns.isEmpty { return [] }
        let body = "left(search_body(\(message).role, \(message).body), 100000)"
        let folded = "search_text(\(body)) LIKE ALL (\(bind(.textArray(patterns))))"
        let expressions = whole.compactMap(\.asciiExpression)
        guard expressions.count == patterns.count else { return [folded] }
        return [
            """
            CASE WHEN octet_length(\(message).body) = length(\(message).body)
                THEN lower(\(body) COLLATE "C") ~ ALL (\(bind(.textArray(expressions))))
                ELSE \(folded) END
            """
        ]
    }

    /// The first id after all requested messages.
    private var last: MessageID? {
        let end = conditions.to.map { to in
            MessageID.lowest(
                milliseconds: UInt64(max(0, to.milliseconds + SearchSlice.clocksDifferAtMost))
            )
        }
        guard let before, let end else { return before ?? end }
        return before.milliseconds < end.milliseconds ? before : end
    }

    /// The first id of all requested messages.
    private var first: MessageID? {
        conditions.from.map { from in
            .lowest(
                milliseconds: UInt64(max(0, from.milliseconds - SearchSlice.clocksDifferAtMost))
            )
        }
    }
}
