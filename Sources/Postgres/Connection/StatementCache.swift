// Which statements a connection has prepared, and under which names. A value; the connection acts.

/// A statement as the server knows it: the same text with other parameter types is another one.
package struct StatementKey: Hashable {
    let sql: String
    let types: [UInt32]

    /// A statement with parameters of `types`.
    package init(sql: String, types: [UInt32]) {
        self.sql = sql
        self.types = types
    }
}

/// The prepared statements of one connection, bounded; the least recently used one makes room.
package struct StatementCache {
    /// How a statement is to be sent.
    package enum Use: Equatable {
        /// It is prepared under this name.
        case execute(String)
        /// Prepare it under this name, then execute it; the other one makes room before that.
        case prepare(String, evicting: String?)
        /// Send it unprepared: its preparation is under way and might yet fail, or none is wanted.
        case unprepared

        /// Whether the statement is to be prepared.
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

    /// Keeps up to `countMax` statements; with 0 none is ever prepared.
    package init(countMax: Int) { self.countMax = max(0, countMax) }

    /// How many statements are kept.
    package var count: Int { entries.count }

    /// Says how to send `key` now.
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

    /// `key` is not prepared after all, or not usable any more.
    /// - Returns: the name to deallocate where it had been prepared.
    package mutating func forget(_ key: StatementKey) -> String? {
        guard let entry = entries.removeValue(forKey: key), entry.isConfirmed else { return nil }
        return entry.name
    }

    /// `key` was to be prepared by a request that failed; what is confirmed stays.
    package mutating func forgetUnconfirmed(_ key: StatementKey) {
        if entries[key]?.isConfirmed == false { entries[key] = nil }
    }

    /// Removes the statement that was used longest ago; those under way stay. O(n), and only for
    /// statements that are new to a full cache.
    private mutating func removeLeastRecent() -> String? {
        let oldest = entries.lazy.filter(\.value.isConfirmed).min {
            $0.value.lastUse < $1.value.lastUse
        }
        guard let oldest else { return nil }
        entries[oldest.key] = nil
        return oldest.value.name
    }
}
