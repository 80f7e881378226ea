// Clocks jump: the server's own, or that of PostgreSQL, by which leases, sessions and links end.

import ChatProtocol
import Glibc
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite(
        "A clock that jumps",
        .enabled(if: FakeClock.canBeSet, "needs libfaketime"),
        .enabled(if: geteuid() == 0, "only root starts PostgreSQL for the server")
    )
    struct AClockThatJumps {
        private let clock: FakeClock

        init() throws { clock = try FakeClock() }

        /// Slow enough that something can happen during an answer.
        private static let slow = ["STOA_KERNELS": "scalar"]
        private static let arguments = ["--lease-seconds", "3", "--threads", "1"]

        @Test(
            "the server's own: sessions, keys and answers are not affected",
            arguments: ["+2d", "-2d"]
        )
        func server(step: String) throws {
            let owner = try StoaServer()
            try owner.addUser("ada")
            let server = try StoaServer(
                Self.arguments + [
                    "--questions-per-minute", "30", "--database-url",
                    try owner.databaseParameters(of: "stoa"),
                ],
                environment: clock.environment.merging(Self.slow) { $1 },
                wrapper: FakeClock.wrapper
            )
            let process = try #require(server.process)
            defer { FakeClock.forget(process) }
            let token = try server.signIn("ada")
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let sent = try peer.say("Tell me a long story.", in: conversation, key: "one")
            try peer.follow(&mirror) { !$0.text(of: sent.answer.id).isEmpty }
            try clock.set(to: step)
            try peer.follow(&mirror, until: sent.answer.id)
            #expect(mirror.state(of: sent.answer.id) == .complete)
            let again = try peer.say("Tell me a long story.", in: conversation, key: "one")
            #expect(again.message.id == sent.message.id)
            let other = try server.connect(token)
            let second = try other.say("What is 2 + 3?", in: conversation)
            try peer.follow(&mirror, until: second.answer.id)
            let order = try other.messages(of: conversation).map(\.id)
            #expect(
                order == [sent.message.id, sent.answer.id, second.message.id, second.answer.id]
            )
            #expect(try server.stop() == .exited(0))
        }

        @Test("PostgreSQL's, an hour ahead: the running answer completes, and sessions go on")
        func ahead() throws {
            let server = try StoaServer(Self.arguments, environment: Self.slow)
            try server.addUser("ada")
            let postgres = try server.restartPostmaster(environment: clock.environment)
            let token = try server.signIn("ada")
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let sent = try peer.say("Tell me a long story.", in: conversation)
            try peer.follow(&mirror) { !$0.text(of: sent.answer.id).isEmpty }
            try clock.set(to: "+1h")
            try peer.follow(&mirror, until: sent.answer.id)
            #expect(mirror.state(of: sent.answer.id) == .complete)
            let other = try server.connect(token)
            let stored = try other.messages(of: conversation)
            #expect(stored.map(\.state) == [.complete, .complete])
            #expect(stored.last?.text == mirror.text(of: sent.answer.id))
            #expect(try server.stop(with: postgres) == .exited(0))
        }

        @Test("PostgreSQL's, past the end of sessions: users sign in again, and have everything")
        func sessions() throws {
            let server = try StoaServer(Self.arguments)
            try server.addUser("ada")
            let postgres = try server.restartPostmaster(environment: clock.environment)
            let token = try server.signIn("ada")
            let conversation: ConversationID
            do {
                let peer = try server.connect(token)
                conversation = try peer.createConversation()
                var mirror = try peer.watch(conversation)
                _ = try peer.ask("What is 2 + 3?", in: conversation, &mirror)
            }
            try clock.set(to: "+400d")
            #expect(throws: (any Error).self) { try server.connect(token) }
            let peer = try server.connect(try server.signIn("ada"))
            #expect(try peer.messages(of: conversation).count == 2)
            #expect(try server.stop(with: postgres) == .exited(0))
        }

        @Test("PostgreSQL's, set back an hour: a dead server's answer does not wait for an hour")
        func behind() throws {
            let server = try StoaServer(Self.arguments, environment: Self.slow)
            try server.addUser("ada")
            let postgres = try server.restartPostmaster(environment: clock.environment)
            let token = try server.signIn("ada")
            let conversation: ConversationID
            var mirror: Mirror
            let answer: MessageID
            do {
                let peer = try server.connect(token)
                conversation = try peer.createConversation()
                mirror = try peer.watch(conversation)
                answer = try peer.say("Tell me a long story.", in: conversation).answer.id
                try peer.follow(&mirror) { !$0.text(of: answer).isEmpty }
                try server.kill()
            }
            try clock.set(to: "-1h")
            try server.start()
            let peer = try server.connect(token)
            try peer.watchAgain(conversation, &mirror)
            try peer.follow(&mirror, until: answer)
            #expect(mirror.state(of: answer) == .complete)
            #expect(server.log.contains("clock was set back"), "\(server.log)")
            #expect(try server.stop(with: postgres) == .exited(0))
        }
    }
}
