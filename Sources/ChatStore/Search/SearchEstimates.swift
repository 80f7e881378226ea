// How common PostgreSQL takes the entries of a search to be, by the statistics that it keeps of them. It
// knows the thousand most frequent well and of the others that they are rare, which is all that has to be
// known to choose a way.

import Postgres

/// How many messages are expected to have which entries.
struct SearchEstimates {
    /// The most entries that are asked for; more only narrow the search down.
    static let entriesMax = 16

    /// What an entry costs that the index has to gather, and what a message costs that is read, beside
    /// each other: measured.
    private static let entriesPerMessage = 10.0

    /// So many messages are read sooner than all of an asker's are gathered.
    private static let fewMessages = 3000.0

    /// About how many messages there are.
    let messageCount: Double
    private let counts: [String: Double]

    init(messageCount: Double, counts: [String: Double]) {
        self.messageCount = max(1, messageCount)
        self.counts = counts
    }

    /// How many messages have all of `entries`, as if each stood by itself.
    func count(of entries: [String]) -> Double {
        entries.reduce(messageCount) { $0 * count(of: $1) / messageCount }
    }

    private func count(of entry: String) -> Double { counts[entry] ?? messageCount / 100 }

    /// Those of `entries` that the index should be asked for. The others would have it gather more than
    /// they spare: they are looked for in the messages that were found.
    /// - Parameters:
    ///   - entries: what there is to be asked for.
    ///   - visible: which part of what is found has to be read, where PostgreSQL combines it with what the
    ///     asker sees. That costs by itself, and so few are found at times that it need not.
    /// - Returns: at least one of them, where there is any.
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
    /// What PostgreSQL expects of `entries` of the index.
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

    /// What the first line of a plan says: `Seq Scan on messages  (cost=0.00..10.50 rows=50 width=0)`.
    private static func expectedRowCount(_ plan: PostgresRows) throws -> Double {
        guard let line = try plan.first?.decode(as: String.self),
            let number = line.split(separator: " ").first(where: { $0.hasPrefix("rows=") })
        else { return 0 }
        return Double(number.dropFirst("rows=".count)) ?? 0
    }
}
