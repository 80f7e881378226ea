// A migration.

import Digests

/// A numbered script that changes the schema; never edited after it was applied anywhere.
///
/// It is one transaction, unless it has lines of the form `-- stoa: step` (`Step`). The line
/// `-- stoa: works with 32` names the oldest migration whose programs work with the schema that it
/// leaves; without it, only programs that know this migration do.
public struct Migration: Sendable, Hashable {
    /// A statement that runs outside of a transaction, such as `CREATE INDEX CONCURRENTLY`.
    ///
    /// If the program ends before all steps are done, they are done again from the first one: each
    /// must allow that.
    public enum Step: Sendable, Hashable {
        /// After `-- stoa: step`: a statement to execute once.
        case once(String)
        /// After `-- stoa: repeat`: a statement to execute until it changes no row, such as a
        /// change of the next thousand rows.
        case untilNothingChanges(String)
    }

    /// Its number, from 1.
    public let version: Int
    /// A short name; part of its file name.
    public let name: String
    /// The statements.
    public let sql: String
    /// The statements to execute outside of a transaction; empty if all are one transaction.
    public let steps: [Step]
    /// The newest migration of the oldest programs that work with the schema that it leaves; nil
    /// for none but those that know it.
    public let oldestProgram: Int?

    /// Creates a migration.
    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
        var steps: [Step] = []
        var oldest: Int?
        var lines: [Substring] = []
        var isRepeated: Bool?
        func endStep() {
            let statement = lines.joined(separator: "\n")
            if let isRepeated {
                steps.append(isRepeated ? .untilNothingChanges(statement) : .once(statement))
            }
            lines = []
        }
        for line in sql.split(separator: "\n", omittingEmptySubsequences: false) {
            switch Directive(line) {
            case .worksWith(let version): oldest = version
            case .step(let repeats):
                endStep()
                isRepeated = repeats
            case nil: lines.append(line)
            }
        }
        endStep()
        self.steps = steps
        oldestProgram = oldest
    }

    /// A line that says how the script is applied.
    private enum Directive {
        case step(repeats: Bool)
        case worksWith(Int)

        init?(_ line: Substring) {
            let mark = "-- stoa: "
            guard line.hasPrefix(mark) else { return nil }
            let words = line.dropFirst(mark.count).split(separator: " ")
            switch (words.first, words.count) {
            case ("step", 1): self = .step(repeats: false)
            case ("repeat", 1): self = .step(repeats: true)
            case ("works", 3):
                guard words[1] == "with", let version = Int(words[2]) else { return nil }
                self = .worksWith(version)
            default: return nil
            }
        }
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
