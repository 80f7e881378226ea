// Administrators' operations, which nobody else may use.

import ChatProtocol
import FoundationEssentials
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    /// One slot, so that other answers are queued.
    @Suite(
        "For administrators",
        .server(users: ["ann", "bob"], administrator: "root", ["--slots", "1"])
    )
    struct ForAdministrators {
        private func connect(_ user: String) throws -> Peer { try SharedServer.connect(user) }

        /// Asks in conversations of their own, concurrently.
        private func ask(_ count: Int, _ peer: Peer) throws -> [MessageID] {
            let conversations = try (0..<count).map { _ in try peer.createConversation() }
            let numbers = try conversations.map { conversation in
                try peer.send(
                    .messageSend,
                    MessageSendRequest(
                        conversation: conversation,
                        key: UUID().uuidString,
                        text: "Tell me a long story about the xylophone."
                    )
                )
            }
            return try numbers.map { number in
                try peer.reply(to: number).get().decode(as: MessageSendReply.self).answer.id
            }
        }

        private func stop(_ message: MessageID, _ peer: Peer) throws -> MessageState {
            try peer.call(
                .runStop,
                RunStopRequest(message: message),
                as: GenerationStopReply.self
            ).state
        }

        @Test("other users are forbidden to use these operations, whatever the object")
        func others() throws {
            let ann = try connect("ann")
            #expect(try ann.refusal(.runList, RunListRequest()) == .forbidden)
            #expect(try ann.refusal(.runStop, RunStopRequest(message: .make())) == .forbidden)
            #expect(try ann.refusal(.serverStatus, EmptyRequest()) == .forbidden)
            #expect(try ann.refusal(.auditList, AuditListRequest()) == .forbidden)
            let team = TeamID.make()
            #expect(try ann.refusal(.auditList, AuditListRequest(team: team)) == .forbidden)
            // Users who are not in a team do not learn whether it exists.
            #expect(try ann.refusal(.teamAudit, TeamAuditRequest(team: team)) == .notFound)
        }

        @Test("all users' runs are listed without texts, and can be stopped")
        func runs() throws {
            let bob = try connect("bob")
            let root = try connect("root")
            // Many, so that the last one is still queued when it is stopped.
            let answers = try ask(30, bob)
            var seen: [ServerRun] = []
            var cursor: String?
            repeat {
                let number = try root.send(.runList, RunListRequest(cursor: cursor, limit: 10))
                let text = try root.reply(to: number).get()
                let reply = try text.decode(as: RunListReply.self)
                #expect(reply.runs.count <= 10)
                #expect(!String(decoding: WireEncoding.text(reply), as: UTF8.self).contains("xylo"))
                seen += reply.runs
                cursor = reply.cursor
            } while cursor != nil
            let mine = seen.filter { $0.user.name == "bob" }
            #expect(!mine.isEmpty)
            #expect(Set(mine.map(\.message)).isSubset(of: answers))
            #expect(mine.allSatisfy { !$0.state.isFinal && $0.priority == .interactive })

            let last = try #require(answers.last)
            _ = try stop(last, root)
            try eventually("the answer has ended") { try stop(last, root).isFinal }
            #expect(try root.refusal(.runStop, RunStopRequest(message: .make())) == .notFound)
            let log = try root.call(
                .auditList,
                AuditListRequest(action: "run.stopped"),
                as: AuditListReply.self
            ).entries.filter { $0.object == "\(last)" }
            #expect(log.count == 1, "what had ended is not stopped again")
            #expect(log.first?.actor.name == "root")
            #expect(log.first?.detail?["user"] == mine.first.map { "\($0.user.id)" })
            for answer in answers { _ = try stop(answer, root) }
        }

        @Test("the audit log is read in pages, by actor, action and time")
        func audit() throws {
            let ann = try connect("ann")
            let root = try connect("root")
            let begin = Timestamp.now
            let answers = try ask(4, ann)
            for answer in answers.reversed() { _ = try stop(answer, root) }
            func entries(_ request: AuditListRequest) throws -> AuditListReply {
                try root.call(.auditList, request)
            }
            let all = try entries(AuditListRequest(actor: "ROOT", action: "run")).entries
            #expect(!all.isEmpty)
            #expect(all.map(\.id) == all.map(\.id).sorted(by: >))
            #expect(all.allSatisfy { $0.action == "run.stopped" && $0.actor.name == "root" })
            let newest = try entries(AuditListRequest(limit: 1, action: "run"))
            #expect(newest.entries.count == 1)
            if all.count > 1 {
                let next = try entries(
                    AuditListRequest(cursor: newest.cursor, limit: 1, action: "run")
                )
                #expect(next.entries.first?.id ?? .max < newest.entries[0].id)
            }
            #expect(try entries(AuditListRequest(actor: "ann", action: "run")).entries.isEmpty)
            #expect(try entries(AuditListRequest(action: "ru")).entries.isEmpty)
            #expect(
                try entries(AuditListRequest(action: "run", to: begin)).entries.allSatisfy {
                    $0.at < begin
                }
            )
            #expect(try !entries(AuditListRequest(action: "run", from: begin)).entries.isEmpty)
            #expect(
                try root.refusal(.auditList, AuditListRequest(cursor: "no number")) == .badRequest
            )
            #expect(try root.refusal(.auditList, AuditListRequest(limit: 0)) == .badRequest)
        }

        @Test("the status contains nodes, models, queue and database")
        func status() throws {
            let root = try connect("root")
            var status: ServerStatusReply = try root.call(.serverStatus)
            // The first sample is taken a moment after the start.
            try eventually("a load") {
                status = try root.call(.serverStatus)
                return status.load != nil
            }
            let load = try #require(status.load)
            #expect(load.seconds > 0 && load.longestLagMilliseconds > 0)
            #expect(load.databaseConnections > 0 && load.databaseWaiting == 0)
            #expect(status.nodes.contains { $0.current == true })
            #expect(status.models.contains { $0.state == .ready })
            #expect(status.connections >= 1)
            #expect(status.database.state == .ready)
            #expect(status.database.bytes ?? 0 > 1_000_000)
            #expect(status.queue.limit == 1000)
        }

        @Test(
            "the doctor examines the server that was asked, once for all who ask at the same time"
        )
        func doctor() throws {
            let root = try connect("root")
            let numbers = try (0..<3).map { _ in try root.send(.serverDoctor, EmptyRequest()) }
            let reports = try numbers.map { number in
                try root.reply(to: number).get().decode(as: ServerDoctorReply.self)
            }
            #expect(Set(reports.map(\.checks)).count == 1)
            let checks = try #require(reports.first).checks
            for (area, name) in [("database", "reachable"), ("schema", "migrations")] {
                #expect(checks.first { $0.area == area && $0.name == name }?.verdict == .ok)
            }
            // No other program has the port.
            #expect(checks.first { $0.area == "network" }?.verdict == .ok, "\(checks)")
            #expect(try connect("ann").refusal(.serverDoctor, EmptyRequest()) == .forbidden)
        }

        // MARK: Terminal

        func admin(
            _ arguments: [String],
            as user: String = "root"
        ) throws -> (end: Program.End, output: String, errors: String) {
            let server = try SharedServer.server()
            return try server.command(
                ["admin"] + arguments
                    + ["--server", server.origin, "--user", user, "--password-stdin"],
                input: "\(server.password(of: user))\n"
            )
        }

        @Test("stoa admin prints tables for people and JSON for programs")
        func commands() throws {
            let answers = try ask(3, connect("bob"))
            let (end, output, errors) = try admin(["status"])
            #expect(end == .exited(0), "\(errors)")
            #expect(output.contains("database") && output.contains("PostgreSQL"), "\(output)")

            let (stopped, states, trouble) = try admin(["runs", "stop"] + answers.map { "\($0)" })
            #expect(stopped == .exited(0), "\(trouble)")
            #expect(states.split(separator: "\n").count == 3, "\(states)")
            let (listed, json, _) = try admin(["runs", "list", "--json"])
            #expect(listed == .exited(0))
            _ = try JSONDecoder().decode(RunListReply.self, from: Data(json.utf8))
            let (audited, table, _) = try admin(["audit", "--action", "run", "--limit", "2"])
            #expect(audited == .exited(0))
            #expect(table.hasPrefix("TIME"), "\(table)")
            #expect(table.contains("run.stopped"), "\(table)")
        }

        @Test("stoa admin stores the token, and explains errors")
        func refusedCommands() throws {
            _ = try admin(["status"])
            let server = try SharedServer.server()
            let kept = try server.command(
                ["admin", "status", "--json", "--server", server.origin, "--user", "root"]
            )
            #expect(kept.end == .exited(0), "\(kept.errors)")
            let refused = try admin(["status"], as: "ann")
            #expect(refused.end == .exited(77))
            #expect(refused.output.isEmpty)
            #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
            let away = try server.command(
                ["admin", "status", "--server", "http://127.0.0.1:9", "--user", "root"]
            )
            #expect(away.end == .exited(64) || away.end == .exited(69), "\(away)")
        }

        @Test("stoa top prints one table, or JSON, for administrators alone")
        func top() throws {
            _ = try admin(["status"])
            _ = try admin(["status"], as: "ann")
            let server = try SharedServer.server()
            let connection = ["--server", server.origin, "--user"]
            let table = try server.command(["top", "--once"] + connection + ["root"])
            #expect(table.end == .exited(0), "\(table.errors)")
            #expect(table.output.hasPrefix("stoa "), "\(table.output)")
            #expect(table.output.contains("\nNODE") && table.output.contains("\nANSWER OF"))
            #expect(!table.output.contains("\u{1B}"))
            let json = try server.command(["top", "--json"] + connection + ["root"])
            #expect(json.end == .exited(0) && json.output.contains("\"queue\""), "\(json)")
            let refused = try server.command(["top", "--once"] + connection + ["ann"])
            #expect(refused.end == .exited(77))
        }
    }
}
