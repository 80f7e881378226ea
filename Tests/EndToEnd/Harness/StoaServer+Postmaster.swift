// The private PostgreSQL of a server, started by the test with another environment. The server
// adopts it, and stops it in the end.

import FoundationEssentials
import Glibc
import TestSupport

extension StoaServer {
    /// Restarts both, PostgreSQL with these variables.
    func restartPostmaster(environment: [String: String]) throws -> Program {
        guard let process = postmaster,
            let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
        else { throw HarnessError("PostgreSQL does not run") }
        var command = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        let program = "/proc/\(process)/exe"
        command[0] = try FileManager.default.destinationOfSymbolicLink(atPath: program)
        var status = stat()
        let data = "\(dataDirectory)/postgres/data"
        guard stat(data, &status) == 0 else { throw HarnessError("stat: errno \(errno)") }
        guard try stop() == .exited(0) else { throw HarnessError("it does not stop") }
        let variables = environment.map { "\($0)=\($1)" }
        let postgres = try Program(
            "/usr/bin/setpriv",
            [
                "--reuid=\(status.st_uid)", "--regid=\(status.st_gid)", "--clear-groups", "env",
            ] + variables + command,
            errorPath: "\(folder.path)/postgres.log"
        )
        try eventually("PostgreSQL takes connections") { (try? database()) != nil }
        try start()
        return postgres
    }

    /// Stops both. The test is the parent of `postgres`: only it can take note of its end.
    func stop(with postgres: Program) throws -> Program.End {
        askToStop()
        _ = try postgres.end()
        return try waitForEnd()
    }

    /// The processes of PostgreSQL: the postmaster and its children.
    func postgresProcesses() throws -> [pid_t] {
        guard let process = postmaster else { throw HarnessError("PostgreSQL does not run") }
        let path = "/proc/\(process)/task/\(process)/children"
        guard let bytes = FileManager.default.contents(atPath: path) else { return [process] }
        let children = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return [process] + children.compactMap { pid_t($0) }
    }
}
