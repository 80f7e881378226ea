// The statements of a search: one set of conditions, and three ways to the messages that meet them. Which
// way is short depends on how much the asker sees and how common the words are; docs/search.md says
// what each costs.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// Where and for what to look, as the statements need it.
struct SearchConditions {
    /// Which messages count.
    enum Phase: Character {
        /// Those in which the terms begin words.
        case words = "w"
        /// Those of the rest in which they stand in the middle of words.
        case pieces = "p"
    }

    let user: UserID
    let terms: [SearchTerm]
    let team: TeamID?
    /// The author's id, where one is asked for.
    let author: UserID?
    let from: Timestamp?
    let to: Timestamp?

    /// The phases that there are anything for.
    var hasPieces: Bool { terms.contains { $0.piecePattern != nil } }
}

/// When a search goes which way; docs/search.md says why.
package struct SearchBounds: Sendable {
    /// The most conversations of the asker's that are counted.
    package var listedMax = 2000
    /// Up to so many messages in them are read one by one.
    package var readMax: Int64 = 6000
    /// Of how many of the newest messages of all it is looked whether they are enough.
    package var walkMax = 8000

    /// Those that were measured to be good.
    package init() {}
}

/// A statement that is put together with its parameters.
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

    /// For whoever sees little: each of their conversations is read.
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

    /// For what is common: the newest messages of all, until there is enough.
    mutating func walking(
        past rowCount: Int,
        in conversations: [ConversationID]?,
        count: Int
    ) -> String {
        let newest = """
            SELECT * FROM messages
            WHERE \(before.map { "id < \(bind(.uuid($0)))" } ?? "true")
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

    /// For what is rare: all messages that the index names, and then those of the asker's.
    mutating func looking(count: Int) -> String {
        """
        WITH found AS MATERIALIZED (
            SELECT m.conversation_id, m.id FROM messages m WHERE \(matches())
        ), ordered AS MATERIALIZED (
            SELECT * FROM found ORDER BY id DESC
        )
        SELECT m.conversation_id, m.id
        FROM ordered m CROSS JOIN LATERAL (\(visible("m.conversation_id"))) mine
        ORDER BY m.id DESC LIMIT \(bind(.integer(count)))
        """
    }

    /// The same where the asker's conversations can be counted: the planner may begin with either.
    mutating func looking(in conversations: [ConversationID], count: Int) -> String {
        """
        WITH found AS MATERIALIZED (
            SELECT m.conversation_id, m.id FROM messages m
            WHERE m.conversation_id = ANY (\(bind(conversations)))
                AND \(matches())
        )
        SELECT * FROM found ORDER BY id DESC LIMIT \(bind(.integer(count)))
        """
    }

    private mutating func bind(_ conversations: [ConversationID]) -> String {
        bind(.uuidArray(conversations.map(\.uuid)))
    }

    private mutating func bind(_ value: PostgresValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    /// A row where the asker sees a conversation, and it is one of those asked for.
    private mutating func visible(_ conversation: String) -> String {
        """
        SELECT FROM members me
        JOIN conversations c ON c.id = me.conversation_id AND c.deleted_at IS NULL
        WHERE me.conversation_id = \(conversation) AND me.user_id = \(bind(.uuid(conditions.user)))
            AND \(Self.isInTeam)
            \(conditions.team.map { "AND c.team_id = \(bind(.uuid($0)))" } ?? "")
        OFFSET 0
        """
    }

    /// Whether member `me` is in the team of conversation `c`, where that has one.
    static let isInTeam = """
        (c.team_id IS NULL OR EXISTS (
            SELECT FROM team_members t WHERE t.team_id = c.team_id AND t.user_id = me.user_id))
        """

    /// The conditions on message `m`.
    private mutating func matches() -> String {
        var clauses = ["m.deleted_at IS NULL"]
        if let before { clauses.append("m.id < \(bind(.uuid(before)))") }
        if let from = conditions.from {
            clauses.append("m.created_at >= \(bind(.date(from.date)))")
        }
        if let to = conditions.to { clauses.append("m.created_at < \(bind(.date(to.date)))") }
        let pieces = phase == .pieces ? conditions.terms.filter { $0.piecePattern != nil } : []
        let whole = conditions.terms.filter { phase == .words || $0.piecePattern == nil }
        let entries = Self.entries(of: whole) + filters
        if !entries.isEmpty {
            let query = entries.joined(separator: " & ")
            clauses.append("m.search @@ \(bind(.text(query)))::tsquery")
        }
        if !pieces.isEmpty {
            // Where all of them begin words, the message was told of before.
            let query = Self.entries(of: pieces).joined(separator: " & ")
            clauses.append("NOT m.search @@ \(bind(.text(query)))::tsquery")
        }
        for pattern in pieces.compactMap(\.piecePattern) {
            clauses.append("search_fold(left(m.body, 100000)) LIKE \(bind(.text(pattern)))")
        }
        let patterns = whole.compactMap(\.pattern)
        if !patterns.isEmpty {
            clauses.append(
                "search_text(left(m.body, 100000)) LIKE ALL (\(bind(.textArray(patterns))))"
            )
        }
        return clauses.joined(separator: " AND ")
    }

    private static func entries(of terms: [SearchTerm]) -> [String] {
        var seen: Set<String> = []
        return terms.flatMap(\.tokens)
            .map { "'\($0.text)'\($0.isPrefix ? ":*" : "")" }
            .filter { seen.insert($0).inserted }
    }

    /// What the index knows of authors and dates.
    private var filters: [String] {
        var filters: [String] = []
        if let author = conditions.author { filters.append("'author:\(author)'") }
        if let months {
            filters.append("(\(months.map { "'month:\($0)'" }.joined(separator: " | ")))")
        }
        return filters
    }

    /// The months between two dates, at most three years of them. A search without a first date is not
    /// narrowed so: what is newest is found soon.
    private var months: [Int]? {
        guard let from = conditions.from else { return nil }
        let first = from.month
        let last = (conditions.to ?? .now).month
        return first <= last && last - first < 36 ? Array(first...last) : nil
    }
}

extension Timestamp {
    /// The month's number since the year 0, as the index counts (UTC).
    fileprivate var month: Int {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month], from: date)
        return (parts.year ?? 0) * 12 + (parts.month ?? 1) - 1
    }
}
