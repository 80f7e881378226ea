// The disks below the data directory are full: all of it, PostgreSQL's log of changes, the KV cache
// pages, the server's log.

import ChatProtocol
import FoundationEssentials
import Glibc
import Postgres
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite(
        "A full disk below the data directory",
        .enabled(if: SmallDisk.canBeMade, "only root may mount the small disk that this needs")
    )
    struct AFullDataDirectory {
        private let server: StoaServer

        init() throws {
            server = try StoaServer()
            try server.addUser("ada")
        }

        private struct Acknowledged {
            let request: ConversationCreateRequest
            let conversation: ConversationID
        }

        /// Creates conversations with texts that cannot be compressed until one is refused.
        /// - Returns: the refusal, and the acknowledged ones.
        private func fill(
            with peer: Peer,
            beforeEach prepare: () -> Void = {}
        ) throws -> (refusal: WireError, acknowledged: [Acknowledged]) {
            var acknowledged: [Acknowledged] = []
            for index in 0..<400 {
                prepare()
                let request = request("full \(index)")
                let id = try peer.send(.conversationCreate, request)
                switch try peer.reply(to: id) {
                case .success(let reply):
                    let conversation = try reply.decode(as: ConversationReply.self).conversation
                    acknowledged.append(
                        Acknowledged(request: request, conversation: conversation.id)
                    )
                case .failure(let refusal): return (refusal, acknowledged)
                }
            }
            throw HarnessError("400 conversations fit on a full disk")
        }

        private func request(_ key: String) -> ConversationCreateRequest {
            ConversationCreateRequest(
                key: key,
                systemPrompt: (0..<100).map { _ in UUID().uuidString }.joined()
            )
        }

        private func waitUntilReady() throws {
            try eventually("/readyz says that there is space") {
                try server.get("/readyz").status == 200
            }
        }

        /// Checks that everything acknowledged is stored, and that an answer completes.
        private func check(_ acknowledged: [Acknowledged] = []) throws {
            let peer = try server.connect(try server.signIn("ada"))
            for known in acknowledged {
                let again = try peer.call(.conversationCreate, known.request)
                #expect(again.conversation.id == known.conversation)
            }
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let answer = try peer.ask("What is 2 + 3?", in: conversation, &mirror)
            #expect(!answer.isEmpty)
        }

        @Test("of all of it: changes are refused, reads go on, and it recovers by itself")
        func everything() throws {
            #expect(try server.stop() == .exited(0))
            let disk = try SmallDisk(kibibytes: 220 << 10, insteadOf: server.dataDirectory)
            defer {
                _ = try? server.stop()
                disk.unmount()
            }
            try server.start()
            let peer = try server.connect(try server.signIn("ada"))
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let first = try peer.ask("What is 2 + 3?", in: conversation, &mirror)

            try disk.fill()
            let (refusal, acknowledged) = try fill(with: peer)
            #expect(refusal.code == .unavailable)
            #expect(refusal.message.contains("disk is full"), "\(refusal)")
            #expect(try server.get("/readyz").text.contains("disk is full"))
            #expect(try peer.messages(of: conversation).last?.text == first)

            try disk.makeRoom()
            try waitUntilReady()
            try check(acknowledged)
        }

        @Test("of the WAL: PostgreSQL ends, the server says why and restarts it when it can")
        func changes() throws {
            #expect(try server.stop() == .exited(0))
            let log = "\(server.dataDirectory)/postgres/data/pg_wal"
            let disk = try SmallDisk(kibibytes: 48 << 10, insteadOf: log)
            defer {
                _ = try? server.stop()
                disk.unmount()
            }
            try server.start()
            let peer = try server.connect(try server.signIn("ada"))
            try disk.fill()
            // The rest of each of its files is left unused, so that it soon needs another one.
            let (refusal, acknowledged) = try fill(with: peer) {
                if let database = try? server.database() {
                    try? database.run("SELECT pg_switch_wal()")
                }
            }
            #expect(refusal.code == .unavailable)
            #expect(refusal.message.contains("no changes were made"), "\(refusal)")
            try eventually("/readyz says that the disk is full") {
                try server.get("/readyz").text.contains("disk is full")
            }
            let reply = try peer.reply(to: peer.send(.conversationCreate, request("meanwhile")))
            guard case .failure(let error) = reply else {
                Issue.record("a change without a log")
                return
            }
            #expect(error.message.contains("disk is full"), "\(error)")

            try disk.makeRoom()
            try waitUntilReady()
            try check(acknowledged)
        }

        @Test("of the KV cache pages: answers go on without them")
        func pages() throws {
            let peer = try server.connect(try server.signIn("ada"))
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            _ = try peer.ask("What is 2 + 3?", in: conversation, &mirror)
            #expect(try server.stop() == .exited(0))
            let disk = try SmallDisk(
                kibibytes: 4096,
                insteadOf: "\(server.dataDirectory)/kv"
            )
            defer {
                _ = try? server.stop()
                disk.unmount()
            }
            try server.start()
            try disk.fill()
            do {
                let peer = try server.connect(try server.signIn("ada"))
                try peer.watchAgain(conversation, &mirror)
                let answer = try peer.ask("What is 3 + 4?", in: conversation, &mirror)
                #expect(!answer.isEmpty)
            }
            // Pages are written at the latest when it stops.
            #expect(try server.stop() == .exited(0))
            #expect(server.log.contains("No space left on device"), "\(server.log)")
            try disk.makeRoom()
            try server.start()
            try check()
        }

        @Test("of the server's log: lines are lost, and nothing else")
        func log() throws {
            #expect(try server.stop() == .exited(0))
            let disk = try SmallDisk(mebibytes: 1, owner: server.folder.path)
            let path = "\(server.folder.path)/serve.log"
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: path,
                withDestinationPath: "\(disk.path)/serve.log"
            )
            try disk.fill()
            try server.start()
            try check()
            #expect(server.log.isEmpty)
            try disk.makeRoom()
            try check()
            // It says so when it stops.
            #expect(try server.stop() == .exited(0))
            #expect(server.log.contains("shutting down"))
        }
    }
}
