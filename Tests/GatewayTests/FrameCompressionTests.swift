// Broadcasts are compressed once for each window size.

import EventLoop
import Gateway
import Networking
import Testing
import WebSocketProtocol

@Suite("Compressed broadcasts")
struct FrameCompressionTests {
    private static let settings = PerMessageDeflate(
        level: 1,
        byteCounts: 1024...(256 << 10),
        keepsContext: false
    )

    private func frame(_ byteCount: Int) -> SharedBytes {
        SharedBytes(WebSocketFrame.encode(text: [UInt8](repeating: 0x61, count: byteCount)))
    }

    @Test("a frame is compressed once for each window size, on first use")
    func once() {
        let compression = FrameCompression(Self.settings)
        let shared = frame(5000)
        let wide = compression.encoding(of: shared, windowBits: 15)
        let narrow = compression.encoding(of: shared, windowBits: 9)
        #expect(wide.bytes.count < 100)
        #expect(wide.bytes[0] == 0xC1)
        #expect(wide !== narrow)
        for _ in 0..<10 {
            #expect(compression.encoding(of: shared, windowBits: 15) === wide)
            #expect(compression.encoding(of: shared, windowBits: 9) === narrow)
        }
        #expect(compression.messageCount == 2)
        // The same bytes in another frame have the same encoding, since frames do not refer to each
        // other.
        #expect(compression.encoding(of: frame(5000), windowBits: 15).bytes == wide.bytes)
    }

    @Test("a compressed frame stays cached while other frames are sent")
    func remembered() {
        let compression = FrameCompression(Self.settings)
        let shared = frame(5000)
        for count in 1...20 {
            _ = compression.encoding(of: frame(2000), windowBits: 15)
            _ = compression.encoding(of: shared, windowBits: 15)
            #expect(compression.messageCount == count + 1)
        }
    }

    @Test(
        "short and very long frames, and those for clients without compression, are not compressed"
    )
    func plain() {
        let compression = FrameCompression(Self.settings)
        let shared = frame(5000)
        #expect(compression.encoding(of: shared, windowBits: nil) === shared)
        for byteCount in [0, 100, 1000, 300_000] {
            let shared = frame(byteCount)
            #expect(compression.encoding(of: shared, windowBits: 15) === shared)
        }
        #expect(compression.messageCount == 0)
    }

    @Test(
        "a message to a hundred members is compressed once per window size, and valid for all"
    )
    func hundredMembers() async throws {
        try await EventLoop.run { loop in
            let compression = FrameCompression(PerMessageDeflate())
            let topic = Topic(loop: loop, compression: compression)
            let handler = Publisher(topic)
            // The first members use context takeover, with their own messages between the
            // broadcasts.
            let kept = PerMessageDeflate()
            let narrow = PerMessageDeflate(windowBits: 10, keepsContext: false)
            let peers = try (0..<100).map { index in
                let agreed = index.isMultiple(of: 2) ? kept : narrow
                return try SocketWithBounds(loop, handler, compression: agreed)
            }
            var first = WebSocketConnection(role: .client, compression: PerMessageDeflate())
            var second = WebSocketConnection(
                role: .client,
                compression: PerMessageDeflate(peerWindowBits: 10, peerKeepsContext: false)
            )
            for round in 1...3 {
                let own = String(repeating: "for one of round \(round); ", count: 10)
                let text = String(repeating: "for all of round \(round); ", count: 10)
                peers[0].webSocket.send(text: Array(own.utf8))
                peers[1].send(clientFrame(.text, text))
                try await turn(loop)
                #expect(compression.messageCount == 2 * round)
                let received = peers.map { peer in
                    var bytes: [UInt8] = []
                    while let part = peer.receive() { bytes += part }
                    return bytes
                }
                #expect(try first.texts(in: received[0]) == [own, text])
                #expect(try second.texts(in: received[1]) == [text])
                for index in 2..<peers.count {
                    #expect(received[index] == received[index.isMultiple(of: 2) ? 2 : 1])
                }
                #expect(received[2].count < text.utf8.count / 2)
            }
            for peer in peers { peer.webSocket.stream.close() }
        }
    }
}

extension WebSocketConnection {
    /// The texts that `bytes` hold.
    fileprivate mutating func texts(in bytes: [UInt8]) throws -> [String] {
        var texts: [String] = []
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = try receive(&rest) {
                guard case .text(let text) = event else { continue }
                texts.append(String(decoding: text, as: UTF8.self))
            }
        }
        return texts
    }
}
