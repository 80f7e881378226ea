// A migrated data directory, created once and copied for each server: creating a cluster and its
// tables takes seconds, and all tests together need about fifty.

import FoundationEssentials
import TestSupport

/// The data directory created by `stoa migrate`.
enum PreparedData {
    /// Copies it to `path`, which must not exist.
    static func copy(to path: String) throws {
        try run("/bin/cp", ["-a", try made.get(), path])
    }

    private static let made = Result {
        // Not inside a test's folder: it is used by later tests.
        let folder = "/tmp/stoa-test-data-\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        try TestClusterWatchdog.start(folder: folder)
        try run(StoaServer.program, ["migrate", "--data-dir", "\(folder)/data"])
        return "\(folder)/data"
    }

    private static func run(_ path: String, _ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let program = try Program(path, arguments, errorPath: "\(folder.path)/errors")
        let (end, _) = try program.end()
        guard end == .exited(0) else {
            throw HarnessError("\(path) \(arguments): \(end) \(program.errorOutput)")
        }
    }
}
