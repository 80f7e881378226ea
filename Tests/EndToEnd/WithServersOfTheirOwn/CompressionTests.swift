// Compressed WebSockets, as negotiated by browsers.

import ChatProtocol
import Testing
import WebSocketProtocol

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Compression", .serialized)
    struct CompressionTests {
        /// Three subscribers of one conversation: without compression, with any window size, and
        /// with the smallest.
        @Test("all subscribers get the same, and with compression in fewer bytes")
        func readers() throws {
            let server = try StoaServer(["--websocket-compression", "on"])
            let names = ["ann", "bob", "cy"]
            for name in names { try server.addUser(name) }
            let offers = [nil, PerMessageDeflate(), PerMessageDeflate(peerWindowBits: 9)]
            let peers = try zip(names, offers).map { name, offer in
                try Peer(server, token: try server.signIn(name), compression: offer)
            }
            #expect(peers.map { $0.compression?.peerWindowBits } == [nil, 15, 9])
            #expect(peers.allSatisfy { $0.compression?.peerKeepsContext != true })
            let conversation = try peers[0].createConversation(
                settings: GenerationSettings(maxTokens: 16)
            )
            for name in names.dropFirst() {
                let request = MemberAddRequest(conversation: conversation, user: name)
                _ = try peers[0].call(.memberAdd, request, as: MemberReply.self)
            }
            for peer in peers { _ = try peer.watch(conversation) }

            let before = peers.map(\.receivedByteCount)
            // Long requests are compressed, too.
            let text = String(repeating: "What is the capital of Finland? ", count: 200)
            let sent = try peers[1].say(text, in: conversation).message.id
            for peer in peers {
                let message = try created(sent, on: peer)
                #expect(message.text == text)
            }
            let counts = zip(peers, before).map { $0.receivedByteCount - $1 }
            #expect(counts[0] > text.utf8.count)
            #expect(counts[1] < text.utf8.count / 2)
            #expect(counts[2] < text.utf8.count / 2)
        }

        private func created(_ id: MessageID, on peer: Peer) throws -> Message {
            while true {
                if case .messageCreated(let event) = try peer.nextEvent(), event.message.id == id {
                    return event.message
                }
            }
        }

        @Test("a message that decompresses to more than the limit closes with 1009")
        func bomb() throws {
            let server = try StoaServer(["--websocket-compression", "on"])
            try server.addUser("ann")
            let token = try server.signIn("ann")
            let peer = try Peer(server, token: token, compression: PerMessageDeflate())
            try peer.send(text: [UInt8](repeating: 0x20, count: 32 << 20))
            #expect(try peer.closeCode() == 1009)
        }
    }
}

extension EndToEnd.OneServer {
    @Test("without the setting no compression is negotiated")
    func noCompression() throws {
        let token = try #require(SharedServer.tokens["ada"])
        let offer = PerMessageDeflate()
        let peer = try Peer(SharedServer.server(), token: token, compression: offer)
        #expect(peer.compression == nil)
        guard case .welcome = try peer.nextEvent() else {
            Issue.record("no welcome")
            return
        }
    }
}
