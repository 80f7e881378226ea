// How common PostgreSQL's statistics say that a search's entries are. They are accurate for the
// thousand most frequent entries, and say of the others that they are rare, which is sufficient to
// choose a statement.

import Postgres

/// Expected numbers of messages per entry.
struct SearchEstimates {
    /// Maximum entries to estimate; more only narrow the search further.
    static let entriesMax = 16

    /// The cost ratio of reading a message to gathering an entry in the index: measured.
    private static let entriesPerMessage = 10.0

    /// Up to so many messages, reading them is faster than gathering all of an asker's messages.
    private static let fewMessages = 3000.0

    /// Estimated number of all messages.
    let messageCount: Double
    private let counts: [String: Double]

    init(messageCount: Double, counts: [String: Double]) {
        self.messageCount = max(1, messageCount)
        self.counts = counts
    }

    /// Expected number of messages with all `entries`, assuming independence.
    func count(of entries: [String]) -> Double {
        entries.reduce(messageCount) { $0 * count(of: $1) / messageCount }
    }

    private func count(of entry: String) -> Double { counts[entry] ?? messageCount / 100 }

    /// The entries for which to use the index. The others would cost more to gather than they save:
    /// they are checked on the messages that were found.
    /// - Parameters:
    ///   - entries: all entries of the search.
    ///   - visible: the fraction of matches that must be read, if PostgreSQL combines them with
    ///     what the asker can see. That has its own cost, and is not needed if few are found.
    /// - Returns: at least one of them, if there are any.
    func worthAsking(_ entries: Set<String>, visible: Double) -> Set<String> {
        let whole = worthAsking(entries, read: 1)
        if count(of: Array(whole)) < Self.fewMessages { return whole }
        return worthAsking(entries, read: visible)
    }

    private func worthAsking(_ entries: Set<String>, read: Double) -> Set<String> {
        var asked: Set<String> = []
        var found = messageCount
        for entry in entries.sorted(by: { count(of: $0) < count(of: $1) }) {
            let left = found * count(of: entry) / messageCount
            let spared = (found - left) * read
            guard asked.isEmpty || count(of: entry) < Self.entriesPerMessage * spared else { break }
            asked.insert(entry)
            found = left
        }
        return asked
    }
}

extension StoreTransaction {
    /// PostgreSQL's estimates for `entries` of the index.
    func estimates(of entries: [String]) async throws -> SearchEstimates {
        let asked = entries.prefix(SearchEstimates.entriesMax)
        let all = try send("EXPLAIN SELECT FROM messages")
        let each = try asked.map { entry in
            try send(
                "EXPLAIN SELECT FROM messages WHERE search @@ $1::tsquery",
                [.text(entry)]
            )
        }
        let messageCount = try await Self.expectedRowCount(all.rows())
        var counts: [String: Double] = [:]
        for (entry, sent) in zip(asked, each) {
            counts[entry] = try await Self.expectedRowCount(sent.rows())
        }
        return SearchEstimates(messageCount: messageCount, counts: counts)
    }

    /// Parses a plan's first line: `Seq Scan on messages  (cost=0.00..10.50 rows=50 width=0)`.
    private static func expectedRowCount(_ plan: PostgresRows) throws -> Double {
        guard let line = try plan.first?.decode(as: String.self),
            let number = line.split(separator: " ").first(where: { $0.hasPrefix("rows=") })
        else { return 0 }
        return Double(number.dropFirst("rows=".count)) ?? 0
    }
}
