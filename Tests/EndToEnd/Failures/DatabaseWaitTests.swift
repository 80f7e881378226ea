// A server that starts before its database waits for it, unless the database rejects it.

import Glibc
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite("A start before the database")
    struct StartBeforeTheDatabase {
        /// A database that can be stopped and started: the private one of another server.
        private let owner: StoaServer
        private let folder: TemporaryFolder
        private let socketFolder: String

        init() throws {
            owner = try StoaServer()
            folder = try TemporaryFolder()
            socketFolder = try owner.postgresSocketFolder()
        }

        /// Starts a server with an external database.
        private func serve(_ parameters: String, _ arguments: [String] = []) throws -> Program {
            try Program(
                StoaServer.program,
                [
                    "serve", "--port", "0", "--data-dir", "\(folder.path)/data",
                    "--database-url", "host=\(socketFolder) \(parameters)",
                ] + arguments,
                environment: ["HOME": folder.path],
                errorPath: "\(folder.path)/serve.log"
            )
        }

        private func untilRetrying(_ program: Program) throws {
            try eventually("it says that it retries") {
                program.errorOutput.contains("database unavailable; retrying")
            }
        }

        @Test("the server serves once the database is available")
        func waits() throws {
            try owner.stop()
            let program = try serve("user=stoa dbname=stoa")
            try untilRetrying(program)
            try owner.start()
            _ = try program.line { $0.hasPrefix("ready") ? true : nil }
            program.send(SIGTERM)
            #expect(try program.end().end == .exited(0), "\(program.errorOutput)")
        }

        @Test("it exits with status 69 after the wait timeout")
        func givesUp() throws {
            try owner.stop()
            let limit = ["--database-wait-seconds", "1"]
            let program = try serve("user=stoa dbname=stoa", limit)
            #expect(try program.end().end == .exited(69))
            #expect(program.errorOutput.contains("database unavailable; retrying"))
            #expect(program.errorOutput.contains("the database cannot be used"))
        }

        @Test("a signal ends the wait with an orderly exit", arguments: [SIGTERM, SIGINT])
        func stops(signal: Int32) throws {
            try owner.stop()
            let program = try serve("user=stoa dbname=stoa", ["--database-wait-seconds", "3600"])
            try untilRetrying(program)
            program.send(signal)
            let (end, output) = try program.end()
            #expect(end == .exited(0), "\(program.errorOutput)")
            #expect(!output.contains("ready"))
        }

        @Test(
            "a rejection by the database is final at once",
            arguments: ["user=stoa dbname=nowhere", "user=nobody-known dbname=stoa"]
        )
        func refusals(parameters: String) throws {
            let program = try serve(parameters, ["--database-wait-seconds", "3600"])
            #expect(try program.end().end == .exited(69))
            #expect(program.errorOutput.contains("does not exist"), "\(program.errorOutput)")
            #expect(!program.errorOutput.contains("retrying"), "\(program.errorOutput)")
        }
    }
}
