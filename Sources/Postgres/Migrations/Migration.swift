// One step of the schema's history.

import Digests

/// A numbered script that changes the schema; never edited once it was applied somewhere.
public struct Migration: Sendable, Hashable {
    /// Its place in the order, from 1.
    public let version: Int
    /// What it does, in a word or three; part of its file's name.
    public let name: String
    /// The statements.
    public let sql: String

    /// Sets all three.
    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    /// Reads version and name off a file's name of the form `0001_users_and_sessions.sql`.
    /// - Returns: nil where `fileName` is not of that form.
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
