// What `make check` leaves out: tests that need more than the process that they run in.

import FoundationEssentials
import Testing

/// What a test needs beside its own process.
public enum Requirement: String, Sendable {
    /// A PostgreSQL server.
    case database = "PostgreSQL"
    /// A program that runs beside the tests.
    case childProcess = "a child process"

    /// Whether the run leaves out every test with a requirement, as `make check` does.
    public static let areAllLeftOut =
        ProcessInfo.processInfo.environment["STOA_TEST_REQUIREMENTS"] == "none"

    /// Cancels the current test where the run leaves it out. Called by what provides the resource, so
    /// that no list of tests has to be kept.
    public func check() throws {
        guard Self.areAllLeftOut else { return }
        #if compiler(>=6.3)
            try Test.cancel("needs \(rawValue)")
        #else
            throw RequirementLeftOut(requirement: self)
        #endif
    }
}

/// A test was not left out, as the compiler knows no cancellation of tests: `make check` needs Swift 6.3.
struct RequirementLeftOut: Error {
    let requirement: Requirement
}
