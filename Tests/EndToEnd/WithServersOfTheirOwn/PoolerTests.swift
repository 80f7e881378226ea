// Servers behind PgBouncer with transaction pooling: no connection state outlives a transaction.

import ChatProtocol
import Postgres
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite(
        "Behind PgBouncer",
        .enabled(if: PgBouncer.program != nil, "pgbouncer is not installed: make setup installs it")
    )
    struct BehindPgBouncer {
        @Test("nodes work together with transaction pooling, with or without LISTEN")
        func pooled() throws {
            let direct = try StoaServer()
            try direct.addUser("ada")
            let token = try direct.signIn("ada")
            let bouncer = try PgBouncer(before: direct)
            defer { withExtendedLifetime(bouncer) {} }
            let pooled = ["--database-url", bouncer.url, "--database-pooling", "transaction"]
            let nodes = [
                direct,
                try StoaServer(
                    beside: direct,
                    pooled + ["--database-listen-url", bouncer.directURL]
                ),
                try StoaServer(beside: direct, pooled),
            ]
            let peers = try nodes.map { try $0.connect(token) }
            let conversation = try peers[0].createConversation()
            var mirrors = try peers.map { try $0.watch(conversation) }
            // Each statement runs often enough to be prepared, if that were not disabled.
            for round in 0..<4 {
                for asked in peers.indices {
                    let text = "What is \(round) + \(asked)?"
                    let answer = try peers[asked].say(text, in: conversation).answer.id
                    for index in peers.indices {
                        try peers[index].follow(&mirrors[index], until: answer)
                        #expect(mirrors[index].state(of: answer) == .complete)
                    }
                }
            }
            let stored = try peers[1].messages(of: conversation)
            #expect(stored.count == 24)
            for mirror in mirrors {
                for message in stored { #expect(mirror.text(of: message.id) == message.text) }
            }
            for node in nodes.dropFirst().reversed() {
                #expect(try node.stop() == .exited(0), "\(node.log)")
                #expect(!node.log.contains("prepared statement"), "\(node.log)")
            }
        }

        @Test("session pooling needs no setting: LISTEN and prepared statements work")
        func sessions() throws {
            let direct = try StoaServer()
            try direct.addUser("ada")
            let token = try direct.signIn("ada")
            let bouncer = try PgBouncer(before: direct, .session)
            defer { withExtendedLifetime(bouncer) {} }
            let pooled = try StoaServer(beside: direct, ["--database-url", bouncer.url])
            let (writer, reader) = (try direct.connect(token), try pooled.connect(token))
            let conversation = try writer.createConversation()
            var mirror = try reader.watch(conversation)
            for round in 0..<4 {
                let asked = round % 2 == 0 ? writer : reader
                let answer = try asked.say("What is \(round) + 1?", in: conversation).answer.id
                try reader.follow(&mirror, until: answer)
                #expect(mirror.state(of: answer) == .complete)
            }
            let listening = try direct.database().query(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
            )
            #expect(try listening.first?.decode(as: Int64.self) ?? 0 >= 2)
            #expect(try pooled.stop() == .exited(0), "\(pooled.log)")
        }

        @Test("a server without the setting says which one to set")
        func advice() throws {
            let direct = try StoaServer()
            let bouncer = try PgBouncer(before: direct)
            let (end, _, errors) = try direct.command(
                ["migrate", "--database-url", bouncer.url]
            )
            withExtendedLifetime(bouncer) {}
            #expect(end == .exited(69))
            #expect(errors.contains("--database-pooling transaction"), "\(errors)")
        }
    }
}
