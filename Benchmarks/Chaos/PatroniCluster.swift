// Three PostgreSQL servers under Patroni, which patroni.py starts and breaks. All functions block: call
// them off the event loop.

import Doubles
import FoundationEssentials
import Glibc
import Postgres

/// PostgreSQL servers of which one is the primary.
final class PatroniCluster: Sendable {
    static let script = "Benchmarks/Chaos/patroni.py"

    private let folder: String
    /// The database's URL, with all servers.
    let url: String

    /// Starts the servers.
    /// - Parameter folder: an existing folder for their files.
    /// - Throws: `ChaosError` if they cannot be started, with what is missing.
    init(folder: String) throws {
        self.folder = folder
        guard access(Self.script, R_OK) == 0 else {
            throw ChaosError("run it in the checkout: \(Self.script) is not here")
        }
        do {
            url = try Self.run(["up", folder], folder, within: 300)
        } catch {
            _ = try? Self.run(["down", folder], folder, within: 60)
            throw error
        }
    }

    deinit { _ = try? Self.run(["down", folder], folder, within: 60) }

    /// Breaks the primary, waits for another one, repairs it, and waits until all are healthy.
    /// - Returns: what was seen, on one line.
    func perform(_ failover: KillPlan.Failover) throws -> String {
        try Self.run(["fault", failover.rawValue, folder], folder, within: 300)
    }

    private static func run(
        _ arguments: [String],
        _ folder: String,
        within seconds: Int32
    ) throws -> String {
        let log = "\(folder)/patroni.log"
        let program = try ChildProgram(["/usr/bin/python3", script] + arguments, errors: log)
        let line = program.line(beginningWith: "", within: seconds)
        guard program.wait() == 0 else {
            let data = try? Data(contentsOf: URL(filePath: log))
            let end = String(decoding: data?.suffix(500) ?? Data(), as: UTF8.self)
            throw ChaosError("patroni.py \(arguments[0]): \(end)")
        }
        return line ?? ""
    }
}
