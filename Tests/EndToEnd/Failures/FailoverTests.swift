// A database of two servers: the primary is lost, and the standby is promoted. `make chaos
// DATABASE=patroni` does that with Patroni, fifty times.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite("A database that fails over")
    struct Failover {
        @Test(
            "the server goes on with the new primary, and nothing acknowledged is lost",
            arguments: StreamingPair.Loss.allCases
        )
        func goesOn(loss: StreamingPair.Loss) throws {
            let pair = try StreamingPair()
            let server = try StoaServer(["--database-url", pair.url], isFirstStart: true)
            try addUser("ada", to: server, pair)
            let peer = try server.connect(try server.signIn("ada"))
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let before = try peer.say("What is 1 + 2?", in: conversation)
            try peer.follow(&mirror, until: before.answer.id)

            try pair.failOver(loss)
            // Repeated with its key, as clients do.
            let key = UUID().uuidString
            var sent: MessageSendReply?
            try eventually("a message is acknowledged", within: .seconds(60)) {
                sent = try? peer.say("What is 3 + 4?", in: conversation, key: key)
                return sent != nil
            }
            let after = try #require(sent)
            // The reader goes on where it was.
            try peer.follow(&mirror, until: after.answer.id)
            #expect(mirror.state(of: after.answer.id) == .complete, "\(server.log)")
            #expect(try pair.texts() == ["What is 1 + 2?", "What is 3 + 4?"])
            for message in try peer.messages(of: conversation) {
                #expect(mirror.text(of: message.id) == message.text)
            }
            #expect(try server.stop() == .exited(0), "\(server.log)")
            withExtendedLifetime(pair) {}
        }

        private func addUser(
            _ name: String,
            to server: StoaServer,
            _ pair: StreamingPair
        ) throws {
            let (end, _, errors) = try server.command(
                [
                    "user", "add", name, "--password-stdin", "--data-dir", server.dataDirectory,
                    "--database-url", pair.url,
                ],
                input: "\(server.password(of: name))\n"
            )
            guard end == .exited(0) else { throw HarnessError("user add: \(end) \(errors)") }
        }
    }
}
