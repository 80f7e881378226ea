// PostgreSQL's disk hangs for a while, as a network volume or a dying disk does.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite(
        "A disk that hangs",
        .enabled(if: FreezableDisk.canBeMade, "only root mounts the ext4 that this needs")
    )
    struct ADiskThatHangs {
        private let server: StoaServer
        private let disk: FreezableDisk

        init() throws {
            server = try StoaServer(["--threads", "1"], environment: ["STOA_KERNELS": "scalar"])
            try server.addUser("ada")
            #expect(try server.stop() == .exited(0))
            disk = try FreezableDisk(insteadOf: "\(server.dataDirectory)/postgres/data")
            try server.start()
        }

        /// Ends PostgreSQL before its disk goes, also after a failure.
        private func end() {
            _ = try? disk.thaw()
            _ = try? server.stop()
            disk.unmount()
        }

        @Test("reads go on, a question waits, and then everything is stored once")
        func waits() throws {
            defer { end() }
            let token = try server.signIn("ada")
            let (peer, reader) = (try server.connect(token), try server.connect(token))
            let (busy, quiet) = (try peer.createConversation(), try peer.createConversation())
            var mirror = try peer.watch(busy)
            let sent = try peer.say("Tell me a long story.", in: busy)
            try peer.follow(&mirror) { !$0.text(of: sent.answer.id).isEmpty }

            try disk.freeze()
            let question = MessageSendRequest(
                conversation: quiet,
                key: "one",
                text: "What is 2 + 3?"
            )
            let request = try peer.send(.messageSend, question)
            // The reply of a read comes, that of the question does not.
            #expect(try reader.messages(of: busy).first?.text == "Tell me a long story.")
            #expect(try reader.messages(of: quiet).isEmpty)
            try disk.thaw()

            let reply = try peer.reply(to: request).get().decode(as: MessageSendReply.self)
            let again = try reader.say(question.text, in: quiet, key: "one")
            #expect(again.message.id == reply.message.id)
            try peer.follow(&mirror, until: sent.answer.id)
            var other = try reader.watch(quiet)
            try reader.follow(&other, until: reply.answer.id)
            #expect(mirror.state(of: sent.answer.id) == .complete)
            #expect(other.state(of: reply.answer.id) == .complete)
            #expect(try reader.messages(of: busy).last?.text == mirror.text(of: sent.answer.id))
            #expect(try reader.messages(of: quiet).count == 2)
            #expect(try server.stop() == .exited(0))
        }

        @Test("a question that a killed server was storing is there once when it is repeated")
        func killed() throws {
            defer { end() }
            let token = try server.signIn("ada")
            let conversation: ConversationID
            let question: MessageSendRequest
            do {
                let peer = try server.connect(token)
                conversation = try peer.createConversation()
                question = MessageSendRequest(
                    conversation: conversation,
                    key: "one",
                    text: "What is 2 + 3?"
                )
                try disk.freeze()
                _ = try peer.send(.messageSend, question)
                // A read that comes after it on the same connection: the question is at PostgreSQL.
                #expect(try peer.messages(of: conversation).isEmpty)
            }
            try server.kill()
            try disk.thaw()
            try server.start()
            let peer = try server.connect(token)
            let reply = try peer.say(question.text, in: conversation, key: "one")
            var mirror = try peer.watch(conversation)
            try peer.follow(&mirror, until: reply.answer.id)
            let stored = try peer.messages(of: conversation)
            #expect(stored.map(\.id) == [reply.message.id, reply.answer.id])
            #expect(stored.last?.text == mirror.text(of: reply.answer.id))
            #expect(try server.stop() == .exited(0))
        }
    }
}
