// `stoa doctor` beside a running server, and without access.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("The doctor")
    struct TheDoctor {
        private struct Report: Decodable {
            struct Check: Decodable {
                let area: String
                let name: String
                let verdict: String
                let found: String
                let advice: String?
            }

            let verdict: String
            let checks: [Check]
        }

        private func examine(
            _ server: StoaServer,
            _ arguments: [String] = []
        ) throws -> (end: Program.End, report: Report) {
            let (end, output, errors) = try server.command(
                [
                    "doctor", "--json", "--data-dir", server.dataDirectory, "--port",
                    "\(server.port)",
                ]
                    + arguments
            )
            let report = try? JSONDecoder().decode(Report.self, from: Data(output.utf8))
            return (end, try #require(report, "\(end): \(output) \(errors)"))
        }

        @Test("finds no problems in a good installation, and the problems of a bad one")
        func installation() throws {
            let server = try StoaServer()
            try server.addUser("root", isAdmin: true)
            let (end, report) = try examine(server)
            let wrong = report.checks.filter { $0.verdict != "ok" }
            // The disk of the test machine may be nearly full.
            #expect(wrong.allSatisfy { $0.area == "storage" }, "\(wrong)")
            #expect(wrong.isEmpty ? end == .exited(0) : end != .exited(0))
            #expect(report.checks.contains { $0.name == "port" && $0.found.contains("taken") })

            let (text, lines, _) = try server.command(
                ["doctor", "--data-dir", server.dataDirectory, "--host", "0.0.0.0", "--port", "0"]
            )
            #expect(text != .exited(0))
            #expect(lines.contains("-> passwords travel readable"), "\(lines)")

            try wrongPassword(server)
            #expect(try server.stop() == .exited(0))
            #expect(try examine(server).report.checks.contains { $0.name == "migrations" })
            #expect(server.postmaster == nil, "PostgreSQL was left running")
        }

        /// Makes the private PostgreSQL require a password from one role, and gives a wrong one.
        private func wrongPassword(_ server: StoaServer) throws {
            let data = "\(server.dataDirectory)/postgres/data"
            let rules = try String(contentsOfFile: "\(data)/pg_hba.conf", encoding: .utf8)
            try Data(("local all stranger scram-sha-256\n" + rules).utf8)
                .write(to: URL(filePath: "\(data)/pg_hba.conf"))
            kill(try #require(server.postmaster), SIGHUP)
            let status = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)
            let lines = status.split(separator: "\n", omittingEmptySubsequences: false)
            let url = "host=\(lines[4]) user=stranger dbname=stoa password=secret-word"
            // Until the rules are reloaded the role is merely unknown.
            try eventually("a password is asked for") {
                let (end, report) = try examine(server, ["--database-url", url])
                let check = report.checks.first { $0.name == "reachable" }
                guard check?.advice?.contains("ALTER ROLE") == true else { return false }
                #expect(end == .exited(2))
                #expect(!report.checks.contains { $0.found.contains("secret-word") })
                return true
            }
        }

        @Test("reports settings that cannot be read")
        func settings() throws {
            let server = try StoaServer()
            let file = try server.folder.write("broken.json", Array(#"{"port": "many"}"#.utf8))
            let (end, report) = try examine(server, ["--config", file, "--port", "0"])
            #expect(end == .exited(0) || end == .exited(1), "the flag goes before the file")
            let (failed, output, _) = try server.command(["doctor", "--json", "--config", file])
            #expect(failed == .exited(2))
            #expect(output.contains("broken.json"), "\(output)")
            #expect(report.checks.contains { $0.area == "settings" && $0.verdict == "ok" })
        }
    }
}
