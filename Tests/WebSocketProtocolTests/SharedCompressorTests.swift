// One compressed frame for many connections.

import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

@Suite("Shared compressor")
struct SharedCompressorTests {
    private static let settings = PerMessageDeflate(
        byteCounts: 100...10_000,
        keepsContext: false,
        peerKeepsContext: false
    )
    private let text = String(repeating: "All readers get the same. ", count: 20)

    /// The settings of both sides for `offer`, which follows the extension's name.
    private func pair(
        _ offer: String,
        _ wanted: PerMessageDeflate = SharedCompressorTests.settings
    ) throws -> (server: PerMessageDeflate, client: PerMessageDeflate) {
        var request = WebSocketClientHandshake(target: "/", host: "h").request
        request.headers["Sec-WebSocket-Extensions"] = "permessage-deflate\(offer)"
        let agreed = try #require(
            try WebSocketHandshake.accept(request, compression: wanted).compression
        )
        let client = PerMessageDeflate(
            keepsContext: agreed.peerKeepsContext,
            peerWindowBits: agreed.windowBits,
            peerKeepsContext: agreed.keepsContext
        )
        return (agreed, client)
    }

    @Test("a shared frame is valid on every connection with that window, between its own frames")
    func everywhere() throws {
        for (offer, windowBits) in [
            ("", 15), ("; server_max_window_bits=15", 15), ("; server_max_window_bits=9", 9),
            ("; client_max_window_bits=10; server_max_window_bits=12", 12),
        ] {
            let agreed = try pair(offer)
            var server = WebSocketConnection(role: .server, compression: agreed.server)
            var client = WebSocketConnection(role: .client, compression: agreed.client)
            let sharedWindowBits = server.sharedWindowBits
            #expect(sharedWindowBits == windowBits)
            let compressor = SharedCompressor(Self.settings, windowBits: windowBits)
            let frame = try #require(compressor.compress(WebSocketFrame.encode(text: text)))
            #expect(frame.count < text.utf8.count / 4)
            // Each is compressed without context, so all are equal.
            #expect(compressor.compress(WebSocketFrame.encode(text: text)) == frame)
            let own = server.send(text: text + "own")
            let message = WebSocketEvent.text(Array(text.utf8))
            let ownMessage = WebSocketEvent.text(Array((text + "own").utf8))
            let events = try client.events(after: frame + own + frame + own)
            #expect(events == [message, ownMessage, message, ownMessage])
        }
    }

    @Test("binary messages and long ones are compressed, too short and too long ones are not")
    func sizes() throws {
        let compressor = SharedCompressor(Self.settings, windowBits: 15)
        let agreed = try pair("")
        for byteCount in [0, 1, 99, 100, 125, 126, 127, 10_000, 10_001, 65_535, 65_536] {
            let message = [UInt8](repeating: 7, count: byteCount)
            let frame = compressor.compress(WebSocketFrame.encode(binary: message))
            #expect((frame != nil) == (100...10_000).contains(byteCount))
            var client = WebSocketConnection(role: .client, compression: agreed.client)
            if let frame { #expect(try client.events(after: frame) == [.binary(message)]) }
        }
    }

    @Test("incompressible messages are sent uncompressed")
    func noise() {
        var generator = SeededGenerator(seed: 1)
        let compressor = SharedCompressor(Self.settings, windowBits: 15)
        let frame = WebSocketFrame.encode(binary: generator.bytes(5000))
        #expect(compressor.compress(frame) == nil)
    }

    @Test("concatenated frames keep their order, and each one that becomes smaller is compressed")
    func row() throws {
        let compressor = SharedCompressor(Self.settings, windowBits: 15)
        let short = WebSocketFrame.encode(text: "short")
        #expect(compressor.compress(short + short) == nil)
        var row = short
        row += WebSocketFrame.encode(text: text)
        row += WebSocketFrame.encode(text: "")
        row += WebSocketFrame.encode(binary: [UInt8](repeating: 7, count: 200))
        row += short
        let packed = try #require(compressor.compress(row))
        #expect(compressor.messageCount == 2)
        #expect(packed.count < row.count / 4)
        let agreed = try pair("")
        var client = WebSocketConnection(role: .client, compression: agreed.client)
        let events = try client.events(after: packed)
        let shortMessage = WebSocketEvent.text(Array("short".utf8))
        let expected: [WebSocketEvent] = [
            shortMessage, .text(Array(text.utf8)), .text([]),
            .binary([UInt8](repeating: 7, count: 200)), shortMessage,
        ]
        #expect(events == expected)
    }

    @Test("a connection with context takeover accepts shared frames and resets its context")
    func keptContext() throws {
        let agreed = try pair("", PerMessageDeflate())
        #expect(agreed.server.keepsContext)
        var server = WebSocketConnection(role: .server, compression: agreed.server)
        var client = WebSocketConnection(role: .client, compression: agreed.client)
        let compressor = SharedCompressor(Self.settings, windowBits: 15)
        for round in 0..<3 {
            let texts = ["\(text) \(round)", "\(text) again", "shared: \(text)"]
            let first = server.send(text: texts[0])
            let second = server.send(text: texts[1])
            // The second refers to the first.
            #expect(second.count < first.count)
            let frame = WebSocketFrame.encode(text: texts[2])
            let shared = try #require(compressor.compress(frame))
            server.sharedFramesWereSent()
            let events = try client.events(after: first + second + shared)
            let expected = texts.map { WebSocketEvent.text(Array($0.utf8)) }
            #expect(events == expected)
        }
    }

    @Test("a window for shared frames exists if zlib supports the connection's window")
    func windows() throws {
        func window(_ agreed: PerMessageDeflate?) -> Int? {
            let server = WebSocketConnection(role: .server, compression: agreed)
            return server.sharedWindowBits
        }
        #expect(window(nil) == nil)
        let kept = try pair("; server_max_window_bits=11", PerMessageDeflate())
        #expect(window(kept.server) == 11)
        let asked = try pair("; server_no_context_takeover", PerMessageDeflate())
        #expect(window(asked.server) == 15)
    }
}
