// PostgreSQL's disk is full: tables cannot grow, and everyone is told until there is space again.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Postgres
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite(
        "A full disk",
        .enabled(if: SmallDisk.canBeMade, "only root may mount the small disk that this needs")
    )
    struct AFullDisk {
        private static let token = "metrics-token-of-the-tests"

        /// The server under test, and the one whose PostgreSQL it uses.
        private let server: StoaServer
        private let owner: StoaServer
        private let disk: SmallDisk
        private let url: String

        init() throws {
            owner = try StoaServer()
            disk = try SmallDisk(mebibytes: 48, owner: "\(owner.dataDirectory)/postgres/data")
            // The WAL is on another disk, as in installations with a separate disk for tables.
            let database = try owner.database()
            try database.run("CREATE TABLESPACE small LOCATION '\(disk.path)'")
            try database.run("CREATE DATABASE small TABLESPACE small")
            url = "host=\(try owner.postgresSocketFolder()) dbname=small user=stoa"
            server = try StoaServer([
                "--database-url", url, "--metrics-token", Self.token,
            ])
            let (end, _, errors) = try server.command(
                ["user", "add", "ada", "--password-stdin", "--database-url", url],
                input: "\(server.password(of: "ada"))\n"
            )
            guard end == .exited(0) else { throw HarnessError("user add: \(errors)") }
        }

        private func isFullByTheMetrics() throws -> Bool {
            let page = try server.get(
                "/metrics",
                headers: [.authorization: "Bearer \(Self.token)"]
            )
            #expect(page.status == 200)
            return page.text.contains("\nstoa_postgres_disk_full 1\n")
        }

        private func doctor() throws -> String {
            try server.command([
                "doctor", "--port", "0", "--database-url", url, "--data-dir", server.dataDirectory,
            ]).output
        }

        /// A text that cannot be compressed: few of them fit into the pages that exist.
        private func text() -> String {
            (0..<40).map { _ in UUID().uuidString }.joined()
        }

        @Test(
            "is reported to users, probes, metrics and the doctor, loses nothing, and recovers by itself"
        )
        func full() throws {
            let peer = try server.connect(try server.signIn("ada"))
            let conversation = try peer.createConversation(
                settings: GenerationSettings(maxTokens: 16)
            )
            var mirror = try peer.watch(conversation)
            let first = try peer.say("What is 2 + 3?", in: conversation)
            try peer.follow(&mirror, until: first.answer.id)
            #expect(try server.get("/readyz").status == 200)
            #expect(try !isFullByTheMetrics())

            try disk.fill()
            var refusal: WireError?
            for index in 0..<50 where refusal == nil {
                let request = MessageSendRequest(
                    conversation: conversation,
                    key: "full \(index)",
                    text: text()
                )
                let id = try peer.send(.messageSend, request)
                if case .failure(let error) = try peer.reply(to: id) { refusal = error }
            }
            #expect(refusal?.code == .unavailable)
            #expect(refusal?.message.contains("disk is full") == true, "\(refusal as Any)")
            let readiness = try server.get("/readyz")
            #expect(readiness.status == 503)
            #expect(readiness.text.contains("disk is full"), "\(readiness.text)")
            #expect(try isFullByTheMetrics())
            #expect(try doctor().contains("tables cannot grow"))
            // Reads continue to work.
            #expect(try peer.messages(of: conversation).contains { $0.id == first.answer.id })

            try disk.makeRoom()
            var readyz = ""
            do {
                try eventually("/readyz says that there is space") {
                    let response = try server.get("/readyz")
                    readyz = response.text
                    return response.status == 200
                }
            } catch {
                throw HarnessError("\(error); it says: \(readyz)\n\(server.log)")
            }
            #expect(try !isFullByTheMetrics())
            #expect(try !doctor().contains("tables cannot grow"))
            let again = try server.connect(try server.signIn("ada"))
            var whole = try again.watch(conversation)
            let last = try again.say("What is 3 + 4?", in: conversation)
            try again.follow(&whole, until: last.answer.id)
            #expect(whole.state(of: first.answer.id) == .complete)
            #expect(whole.state(of: last.answer.id) == .complete)
            #expect(server.log.contains("database disk full"), "\(server.log)")
            #expect(server.log.contains("database disk has space again"), "\(server.log)")
        }
    }
}
