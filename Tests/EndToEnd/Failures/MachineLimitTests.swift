// The machine's limits: descriptors, memory, and a disk that is slow.

import ChatProtocol
import FoundationEssentials
import Glibc
import Postgres
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite("Limits of the machine")
    struct MachineLimits {
        private func ask(_ text: String, _ peer: Peer) throws -> String {
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            return try peer.ask(text, in: conversation, &mirror)
        }

        // MARK: Descriptors

        @Test("with few descriptors, connections over the limit wait, and others are served")
        func descriptors() throws {
            let server = try StoaServer(
                wrapper: ["/bin/sh", "-c", "ulimit -n 128; exec \"$@\"", "sh"]
            )
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let peer = try server.connect(token)
            var others: [BlockingSocket] = []
            for _ in 0..<100 { others.append(try BlockingSocket(port: server.port)) }
            try eventually("the log says that it accepts no more") {
                server.log.contains("no more connections are accepted")
            }
            #expect(try !ask("What is 2 + 3?", peer).isEmpty)
            others = []
            #expect(try server.get("/healthz").status == 200)
            #expect(server.log.contains("connections are accepted again"), "\(server.log)")
        }

        @Test(
            "without any descriptor left, connections that exist are served, new ones wait",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit"))
        )
        func noDescriptors() throws {
            let server = try StoaServer()
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let peer = try server.connect(token)
            #expect(try !ask("What is 2 + 3?", peer).isEmpty)
            let errors = "\(server.folder.path)/prlimit.log"
            func limit(_ count: Int) throws {
                let process = try #require(server.process)
                let program = try Program(
                    "/usr/bin/prlimit",
                    ["--pid", "\(process)", "--nofile=\(count):"],
                    errorPath: errors
                )
                #expect(try program.end().0 == .exited(0), "\(program.errorOutput)")
            }
            try limit(4)
            let waiting = try BlockingSocket(port: server.port)
            try eventually("the log says that it accepts no more") {
                server.log.contains("no more connections are accepted")
            }
            #expect(try !ask("What is 3 + 4?", peer).isEmpty)
            try limit(1024)
            #expect(try server.get("/healthz").status == 200)
            #expect(try !ask("What is 4 + 5?", try server.connect(token)).isEmpty)
            withExtendedLifetime(waiting) {}
        }

        // MARK: Memory

        @Test(
            "PostgreSQL over its memory limit is killed and recovers; nothing is lost",
            .enabled(if: MemoryLimit.canBeSet, "no control group of memory can be made here")
        )
        func memoryOfPostgres() throws {
            let server = try StoaServer()
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let peer = try server.connect(token)
            let before = try ask("What is 2 + 3?", peer)
            let limit = try MemoryLimit(mebibytes: 256)
            defer { limit.remove() }
            for process in try server.postgresProcesses() { try limit.add(process) }
            // A new process of PostgreSQL is in its parent's group.
            #expect(throws: (any Error).self) {
                let database = try server.database()
                try database.run("SET work_mem = '1GB'")
                _ = try database.query(
                    "SELECT array_length(array_agg(n), 1) FROM generate_series(1, 60000000) n"
                )
            }
            try eventually("the server notices") {
                server.log.contains("connection to PostgreSQL lost")
            }
            try eventually("PostgreSQL is back") { try server.get("/readyz").status == 200 }
            #expect(try ask("What is 2 + 3?", try server.connect(token)) == before)
            #expect(try server.stop() == .exited(0))
        }

        @Test(
            "a server over its memory limit is killed, and has everything when it is started again",
            .enabled(if: MemoryLimit.canBeSet, "no control group of memory can be made here")
        )
        func memoryOfServer() throws {
            let server = try StoaServer()
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let conversation: ConversationID
            // What it has already is not counted.
            let limit = try MemoryLimit(mebibytes: 8)
            defer { limit.remove() }
            do {
                let peer = try server.connect(token)
                conversation = try peer.createConversation()
                var mirror = try peer.watch(conversation)
                _ = try peer.ask("What is 2 + 3?", in: conversation, &mirror)
                try limit.add(try #require(server.process))
                // Beginnings of long requests, which it has to keep until they are complete.
                let head = "POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                let length = "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
                let body = String(repeating: " ", count: 59_000)
                let request = Array((head + length + body).utf8)
                var sockets: [BlockingSocket] = []
                while sockets.count < 600, let socket = try? BlockingSocket(port: server.port) {
                    sockets.append(socket)
                    guard (try? socket.send(request, Deadline(.patience))) != nil else { break }
                }
                #expect(try server.waitForEnd() == .signalled(SIGKILL))
            }
            limit.remove()
            try server.start()
            let peer = try server.connect(token)
            #expect(try peer.messages(of: conversation).map(\.state) == [.complete, .complete])
            #expect(try !ask("What is 3 + 4?", peer).isEmpty)
        }

        // MARK: A slow disk

        @Test(
            "on a disk that takes a third of a second for each flush, all is stored, and reads go on",
            .enabled(if: SlowDisk.canBeMade, "needs strace, and the right to trace")
        )
        func slowDisk() throws {
            let server = try StoaServer(["--lease-seconds", "3"])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let peer = try server.connect(token)
            let reader = try server.connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let slow = try SlowDisk(milliseconds: 300, of: try server.postgresProcesses())
            let begin = ContinuousClock.now
            let ids = try (0..<5).map { index in
                try peer.send(
                    .messageSend,
                    MessageSendRequest(
                        conversation: conversation,
                        key: "slow \(index)",
                        text: "What is \(index) + 3?"
                    )
                )
            }
            // Reads wait for no flush.
            _ = try reader.messages(of: conversation)
            #expect(try server.get("/readyz").status == 200)
            let sent = try ids.map {
                try peer.reply(to: $0).get().decode(as: MessageSendReply.self)
            }
            #expect(ContinuousClock.now - begin >= .milliseconds(300))
            for reply in sent {
                try peer.follow(&mirror, until: reply.answer.id)
                #expect(mirror.state(of: reply.answer.id) == .complete)
            }
            slow.end()
            let stored = try reader.messages(of: conversation)
            #expect(stored.count == 10)
            #expect(stored.allSatisfy { $0.state == .complete })
            #expect(try server.stop() == .exited(0))
        }
    }
}
