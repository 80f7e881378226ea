// For all settings and splits: a side receives what the other sends.

import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

@Suite("Compression properties")
struct CompressionPropertyTests {
    /// Random preferences of one side.
    private func settings(_ generator: inout SeededGenerator) -> PerMessageDeflate {
        PerMessageDeflate(
            level: Int.random(in: 1...9, using: &generator),
            memoryLevel: Int.random(in: 1...9, using: &generator),
            byteCounts: Int.random(in: 1...100, using: &generator)...100_000,
            windowBits: Int.random(in: 9...15, using: &generator),
            keepsContext: Bool.random(using: &generator),
            peerWindowBits: Int.random(in: 8...15, using: &generator),
            peerKeepsContext: Bool.random(using: &generator)
        )
    }

    /// A text with repetitions near and far, of many lengths.
    private func text(_ generator: inout SeededGenerator) -> [UInt8] {
        let words = ["caf\u{E9}", "\u{1F3DB}", "stoa ", "{\"ev\":\"message.delta\",", "\n", "x"]
        var text: [UInt8] = []
        for _ in 0..<(1 << Int.random(in: 0...9, using: &generator)) {
            text += (words.randomElement(using: &generator) ?? "").utf8
        }
        return text
    }

    /// Splits the frame of a complete message into fragments, with pings between them.
    private func fragments(
        of frame: [UInt8],
        key: MaskingKey?,
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        let lengthByteCount = [126: 2, 127: 8][frame[1] & 0x7F] ?? 0
        var payload = Array(frame[(2 + lengthByteCount)...])
        if frame[1] & 0x80 != 0 {
            let mask = payload.prefix(4)
            payload.removeFirst(4)
            for index in payload.indices { payload[index] ^= mask[index % 4] }
        }
        guard let opcode = WebSocketOpcode(rawValue: frame[0] & 0xF) else { return frame }
        var bytes: [UInt8] = []
        var rest = payload[...]
        var isFirst = true
        while true {
            let part = rest.prefix(Int.random(in: 0...(rest.count + 1), using: &generator))
            rest = rest.dropFirst(part.count)
            let isLast = rest.isEmpty && Bool.random(using: &generator)
            bytes += WebSocketFrame.encode(
                isFirst ? opcode : .continuation,
                Array(part),
                isFinal: isLast,
                isCompressed: isFirst && frame[0] & 0x40 != 0,
                key: key
            )
            if isLast { return bytes }
            isFirst = false
            bytes += WebSocketFrame.encode(.ping, [1], key: key)
        }
    }

    /// Sends messages from one side to the other.
    private func converse(
        from sender: inout WebSocketConnection,
        to receiver: inout WebSocketConnection,
        key: MaskingKey?,
        _ generator: inout SeededGenerator
    ) throws {
        var sent: [WebSocketEvent] = []
        var bytes: [UInt8] = []
        for _ in 0..<20 {
            let frame: [UInt8]
            if Bool.random(using: &generator) {
                let message = text(&generator)
                frame = sender.send(text: message)
                sent.append(.text(message))
            } else {
                let message = generator.bytes(Int.random(in: 0...500, using: &generator))
                frame = sender.send(binary: message)
                sent.append(.binary(message))
            }
            let isCut = Bool.random(using: &generator)
            bytes += isCut ? fragments(of: frame, key: key, &generator) : frame
        }
        var received: [WebSocketEvent] = []
        for piece in Delivery.randomChunks(seed: generator.next()).pieces(of: bytes) {
            for event in try receiver.events(after: piece) where event != .ping([1]) {
                received.append(event)
            }
        }
        #expect(received == sent)
    }

    @Test("messages arrive as they were sent, in both directions", arguments: 1...60)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let handshake = WebSocketClientHandshake(
            target: "/",
            host: "h",
            compression: settings(&generator)
        )
        let acceptance = try WebSocketHandshake.accept(
            handshake.request,
            compression: settings(&generator)
        )
        let agreed = try handshake.compression(in: acceptance.response)
        #expect((agreed == nil) == (acceptance.compression == nil))
        var client = WebSocketConnection(role: .client, compression: agreed)
        var server = WebSocketConnection(role: .server, compression: acceptance.compression)
        for _ in 0..<3 {
            try converse(from: &client, to: &server, key: exampleKey, &generator)
            try converse(from: &server, to: &client, key: nil, &generator)
        }
    }

    @Test("damaged streams end in an error or a message, for every split", arguments: 1...8)
    func damage(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let limits = WebSocketLimits(
            frameBytesMax: 3000,
            messageBytesMax: 3000,
            fragmentCountMax: 5
        )
        for _ in 0..<1000 {
            let wanted = PerMessageDeflate(
                byteCounts: 1...3000,
                peerKeepsContext: Bool.random(using: &generator)
            )
            var peer = WebSocketConnection(role: .server, compression: wanted)
            var bytes = peer.send(text: text(&generator))
            bytes += peer.send(binary: generator.bytes(50))
            let damaged = generator.mutate(bytes)
            let whole = FrameTranscript(
                damaged,
                role: .client,
                limits: limits,
                compression: wanted
            )
            let cut = FrameTranscript(
                damaged,
                .randomChunks(seed: generator.next()),
                role: .client,
                limits: limits,
                compression: wanted
            )
            #expect(whole == cut, "\(damaged)")
            for case .text(let text) in whole.events { #expect(text.count <= 3000) }
        }
    }
}
