// A data directory as the first start leaves it, made once and copied for each server: making a cluster
// and its tables takes seconds, and a run of all tests needs some fifty.

import FoundationEssentials
import TestSupport

/// The data directory that `stoa migrate` makes.
enum PreparedData {
    /// Copies it to `path`, where nothing is yet.
    static func copy(to path: String) throws {
        try run("/bin/cp", ["-a", try made.get(), path])
    }

    private static let made = Result {
        // Not below a test's folder: it outlives the test that happened to be first.
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
