// Nothing acknowledged is lost when the server, its PostgreSQL, or both crash.

import ChatProtocol
import Postgres
import Testing

extension EndToEnd.Failures {
    /// Each test has a server of its own. Leases are short, so that answers resume soon.
    @Suite("Crashes")
    struct WhenSomethingDies {
        private func server(_ arguments: [String] = []) throws -> (StoaServer, token: String) {
            let server = try StoaServer(["--lease-seconds", "3"] + arguments)
            try server.addUser("ada")
            return (server, try server.signIn("ada"))
        }

        @Test("an answer interrupted by kill -9 is completed after the restart")
        func killedInTheMiddle() throws {
            let (server, token) = try server()
            let conversation: ConversationID
            var mirrors: [Mirror]
            let sent: MessageSendReply
            do {
                let peers = try (0..<3).map { _ in try server.connect(token) }
                conversation = try peers[0].createConversation()
                mirrors = try peers.map { try $0.watch(conversation) }
                sent = try peers[0].say("Tell me a long story.", in: conversation)
                try peers[0].follow(&mirrors[0]) { !$0.text(of: sent.answer.id).isEmpty }
                try server.kill()
            }
            #expect(mirrors[0].state(of: sent.answer.id) == .streaming)

            try server.start()
            let peers = try (0..<3).map { _ in try server.connect(token) }
            for index in peers.indices {
                try peers[index].watchAgain(conversation, &mirrors[index])
                try peers[index].follow(&mirrors[index], until: sent.answer.id)
            }
            let stored = try peers[0].messages(of: conversation)
            #expect(stored.map(\.id) == [sent.message.id, sent.answer.id])
            #expect(stored.map(\.state) == [.complete, .complete])
            #expect(stored[0].text == "Tell me a long story.")
            #expect(stored[1].text.utf8.count > 500)
            for mirror in mirrors { #expect(mirror.text(of: sent.answer.id) == stored[1].text) }
        }

        @Test("PostgreSQL crashes under load and restarts: the server stays up and loses nothing")
        func databaseDies() throws {
            let (server, token) = try server()
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            // Two messages each, and a snapshot has fifty.
            let count = 24
            var unanswered: [Int: Int64] = [:]
            var acknowledged: Set<Int> = []
            func send(_ index: Int) throws {
                unanswered[index] = try peer.send(
                    .messageSend,
                    MessageSendRequest(
                        conversation: conversation,
                        key: "load \(index)",
                        text: "What is \(index) + 1?"
                    )
                )
            }

            for index in 0..<(count / 3) { try send(index) }
            try server.killPostmaster()
            for index in (count / 3)..<count { try send(index) }
            // If it is back before anyone checks, the log says that it was unavailable.
            try eventually("/readyz says that the database is unavailable") {
                try server.get("/readyz").status == 503 || server.log.contains("PostgreSQL crashed")
            }
            #expect(try server.get("/healthz").status == 200)
            try eventually("/readyz says that it is back") {
                try server.get("/readyz").status == 200
            }
            // A client repeats unacknowledged requests with the same keys.
            for _ in 0..<20 where acknowledged.count < count {
                for (index, id) in unanswered.sorted(by: { $0.key < $1.key }) {
                    switch try peer.reply(to: id, within: .seconds(60)) {
                    case .success:
                        acknowledged.insert(index)
                        unanswered[index] = nil
                    case .failure(let error):
                        #expect(error.code.isRetryable, "\(error)")
                    }
                }
                for index in unanswered.keys { try send(index) }
            }
            #expect(acknowledged.count == count)

            let stored = try peer.messages(of: conversation).filter { $0.role == .user }
            #expect(stored.count == count)
            #expect(Set(stored.map(\.text)) == Set((0..<count).map { "What is \($0) + 1?" }))
            var mirror = try peer.watch(conversation)
            let last = try #require(mirror.order.last)
            try peer.follow(&mirror, until: last)
            #expect(try peer.messages(of: conversation).allSatisfy { $0.state == .complete })
        }

        @Test("SIGTERM exits with 0, tells clients to reconnect, and keeps queued answers")
        func terminated() throws {
            let (server, token) = try server(["--drain-seconds", "1"])
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let sent = try (0..<12).map { _ in
                try peer.say("Tell me a long story.", in: conversation)
            }
            try peer.follow(&mirror) { !$0.text(of: sent[0].answer.id).isEmpty }
            let start = ContinuousClock.now
            server.askToStop()
            #expect(try peer.closeCode() == CloseCode.serviceRestart.rawValue)
            #expect(try server.waitForEnd() == .exited(0), "\(server.log)")
            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(server.postmaster == nil, "PostgreSQL was left running")

            try server.start()
            let again = try server.connect(token)
            var whole = try again.watch(conversation)
            for reply in sent { try again.follow(&whole, until: reply.answer.id) }
            let stored = try again.messages(of: conversation)
            #expect(stored.map(\.id) == sent.flatMap { [$0.message.id, $0.answer.id] })
            #expect(stored.allSatisfy { $0.state == .complete })
            for message in stored { #expect(whole.text(of: message.id) == message.text) }
        }

        @Test("a second SIGTERM releases the leases and ends the process")
        func terminatedTwice() throws {
            // Otherwise the lease would expire after an hour.
            let server = try StoaServer(["--lease-seconds", "3600", "--drain-seconds", "3600"])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let sent = try (0..<12).map { _ in
                try peer.say("Tell me a long story.", in: conversation)
            }
            try peer.follow(&mirror) { !$0.text(of: sent[0].answer.id).isEmpty }
            server.askToStop()
            try eventually("it goes down") { server.log.contains("shutting down") }
            server.askToStop()
            #expect(try server.waitForEnd() == .exited(1), "\(server.log)")
            let leases = try server.database().query(
                "SELECT count(*) FROM generations WHERE lease_owner IS NOT NULL"
            )
            #expect(try leases.first?.decode(as: Int64.self) == 0)

            try server.start()
            let again = try server.connect(token)
            var whole = try again.watch(conversation)
            for reply in sent { try again.follow(&whole, until: reply.answer.id) }
            let stored = try again.messages(of: conversation)
            #expect(stored.allSatisfy { $0.state == .complete })
            for message in stored { #expect(whole.text(of: message.id) == message.text) }
        }

        @Test("a killed PostgreSQL is restarted at once, and used as soon as it has recovered")
        func databaseComesBackSoon() throws {
            let (server, _) = try server()
            let limit = Duration.seconds(2)
            // PostgreSQL's own recovery, which writes to disk, does not count.
            let delay = try shortestDelay(below: limit) { _ in
                let old = try #require(server.postmaster)
                let killed = ContinuousClock.now
                try server.killPostmaster()
                try eventually("PostgreSQL is started") {
                    server.postmaster.map { $0 != old } == true
                }
                let started = ContinuousClock.now
                try eventually("PostgreSQL takes connections") {
                    (try? server.database()) != nil
                }
                let recovered = ContinuousClock.now
                try eventually("/readyz says that it is back") {
                    try server.get("/readyz").status == 200
                }
                return (started - killed) + (ContinuousClock.now - recovered)
            }
            #expect(delay < limit, "\(server.log)")
        }

        @Test("the killed server's PostgreSQL is adopted by the next process, and stops with it")
        func adoption() throws {
            let (server, token) = try server()
            let postmaster = try #require(server.postmaster)
            try server.kill()
            #expect(server.postmaster == postmaster)
            try server.start()
            #expect(server.postmaster == postmaster)
            _ = try server.connect(token)
            #expect(try server.stop() == .exited(0))
            #expect(server.postmaster == nil)
        }
    }
}
