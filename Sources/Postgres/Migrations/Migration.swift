// A migration.

import Digests

/// A numbered script that changes the schema; never edited after it was applied anywhere.
public struct Migration: Sendable, Hashable {
    /// Its number, from 1.
    public let version: Int
    /// A short name; part of its file name.
    public let name: String
    /// The statements.
    public let sql: String

    /// Creates a migration.
    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    /// Parses version and name from a file name of the form `0001_users_and_sessions.sql`.
    /// - Returns: nil if `fileName` does not have that form.
    public init?(fileName: String, sql: String) {
        guard fileName.hasSuffix(".sql") else { return nil }
        let stem = fileName.dropLast(4)
        let digits = stem.prefix(4)
        let rest = stem.dropFirst(4)
        let isNamed = rest.dropFirst().allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
        }
        guard
            digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let version = Int(digits), version > 0, rest.first == "_", rest.count > 1, isNamed
        else { return nil }
        self.init(version: version, name: String(rest.dropFirst()), sql: sql)
    }

    /// SHA-256 of the script, in hexadecimal.
    public var checksum: String { SHA256.digest(of: sql).hexadecimal }
}
