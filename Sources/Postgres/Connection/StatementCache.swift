// The prepared statements of a connection and their names. A value; the connection acts on it.

/// Identifies a statement: the same text with other parameter types is another statement.
package struct StatementKey: Hashable {
    let sql: String
    let types: [UInt32]

    /// Creates a key.
    package init(sql: String, types: [UInt32]) {
        self.sql = sql
        self.types = types
    }
}

/// A bounded LRU cache of prepared statements.
package struct StatementCache {
    /// How to send a statement.
    package enum Use: Equatable {
        /// It is prepared under this name.
        case execute(String)
        /// Prepare it under this name and execute it; first deallocate the evicted one.
        case prepare(String, evicting: String?)
        /// Send it unprepared: its preparation is pending and might fail, or preparing is off.
        case unprepared

        /// Whether the statement has to be prepared.
        var isPreparation: Bool {
            if case .prepare = self { true } else { false }
        }
    }

    private struct Entry {
        let name: String
        var isConfirmed: Bool
        var lastUse: UInt64
    }

    private let countMax: Int
    private var entries: [StatementKey: Entry] = [:]
    private var useCount: UInt64 = 0

    /// Creates a cache for `countMax` statements; 0 turns preparing off.
    package init(countMax: Int) { self.countMax = max(0, countMax) }

    /// The number of statements.
    package var count: Int { entries.count }

    /// Returns how to send `key` now.
    package mutating func use(_ key: StatementKey) -> Use {
        guard countMax > 0 else { return .unprepared }
        useCount += 1
        if let entry = entries[key] {
            entries[key]?.lastUse = useCount
            return entry.isConfirmed ? .execute(entry.name) : .unprepared
        }
        let evicted = entries.count < countMax ? nil : removeLeastRecent()
        if entries.count >= countMax { return .unprepared }
        let name = "s\(useCount)"
        entries[key] = Entry(name: name, isConfirmed: false, lastUse: useCount)
        return .prepare(name, evicting: evicted)
    }

    /// The preparation of `key` succeeded.
    package mutating func confirm(_ key: StatementKey) { entries[key]?.isConfirmed = true }

    /// `key` is not prepared or not usable any more.
    /// - Returns: the name to deallocate if it was prepared.
    package mutating func remove(_ key: StatementKey) -> String? {
        guard let entry = entries.removeValue(forKey: key), entry.isConfirmed else { return nil }
        return entry.name
    }

    /// The request that should prepare `key` failed; a confirmed statement stays.
    package mutating func removeUnconfirmed(_ key: StatementKey) {
        if entries[key]?.isConfirmed == false { entries[key] = nil }
    }

    /// Removes the least recently used statement that is confirmed. O(n), but only for new
    /// statements in a full cache.
    private mutating func removeLeastRecent() -> String? {
        let oldest = entries.lazy.filter(\.value.isConfirmed).min {
            $0.value.lastUse < $1.value.lastUse
        }
        guard let oldest else { return nil }
        entries[oldest.key] = nil
        return oldest.value.name
    }
}
