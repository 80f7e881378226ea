// Requirements of tests, for `make check`, which skips tests that need more than their own process.

import FoundationEssentials
import Testing

/// A resource that a test needs.
public enum Requirement: String, Sendable {
    /// A PostgreSQL server.
    case database = "PostgreSQL"
    /// A child process.
    case childProcess = "a child process"

    /// Whether this run skips all tests with a requirement, as `make check` does.
    public static let areAllLeftOut =
        ProcessInfo.processInfo.environment["STOA_TEST_REQUIREMENTS"] == "none"

    /// Cancels the current test if this run skips it. The code that provides the resource calls it,
    /// so no list of tests is needed.
    public func check() throws {
        guard Self.areAllLeftOut else { return }
        #if compiler(>=6.3)
            try Test.cancel("needs \(rawValue)")
        #else
            throw RequirementLeftOut(requirement: self)
        #endif
    }
}

/// A test could not be skipped since the toolchain cannot cancel tests: `make check` needs Swift
/// 6.3.
struct RequirementLeftOut: Error {
    let requirement: Requirement
}
