// Connections that share the compressors and decompressors of their loop.

import Deflate
import TestSupport
import Testing
import WebSocketProtocol

@Suite("Shared compression states")
struct CompressionStatesTests {
    private static let settings = PerMessageDeflate(
        byteCounts: 1...100_000,
        keepsContext: false,
        peerKeepsContext: false
    )

    /// What `connection` sends for `text`, as the payload's bytes and whether they are compressed.
    private func sent(_ text: [UInt8], by connection: inout WebSocketConnection) -> [UInt8] {
        var frame: [UInt8] = []
        text.withUnsafeBytes { bytes in
            switch connection.sending(WebSocketMessage(isText: true, bytes: bytes)) {
            case .closed: Issue.record("the connection is open")
            case .borrowed(let message):
                message.withFrameHeader { frame += $0 }
                frame += message.bytes
            case .frame(let bytes): frame += bytes
            }
        }
        return frame
    }

    @Test("connections send the same bytes with the loop's states as with their own")
    func sending() {
        var generator = SeededGenerator(seed: 1)
        let states = CompressionStates()
        var first = WebSocketConnection(role: .server, compression: Self.settings, states: states)
        var second = WebSocketConnection(role: .server, compression: Self.settings, states: states)
        for _ in 0..<200 {
            let words = ["a stoa ", "is a covered walkway, ", "commonly ", "for public use. "]
            let count = Int.random(in: 1...8000, using: &generator)
            let text = (0..<count).flatMap { _ in
                Array(words.randomElement(using: &generator)!.utf8)
            }
            var alone = WebSocketConnection(role: .server, compression: Self.settings)
            let expected = alone.send(text: text)
            #expect(sent(text, by: &first) == expected)
            #expect(second.send(text: text) == expected)
            #expect(sent(text, by: &second) == expected)
        }
    }

    @Test("noise is sent as it is, and the next message is compressed")
    func noise() {
        var generator = SeededGenerator(seed: 2)
        let states = CompressionStates()
        var server = WebSocketConnection(role: .server, compression: Self.settings, states: states)
        let noise = generator.bytes(3000)
        #expect(sent(noise, by: &server)[0] == 0x81)
        #expect(sent([UInt8](repeating: 0x61, count: 3000), by: &server).count < 100)
    }

    @Test("received messages, whole or cut, are those of a connection with states of its own")
    func receiving() {
        var generator = SeededGenerator(seed: 3)
        let states = CompressionStates()
        var client = WebSocketConnection(role: .client, compression: Self.settings)
        for round in 0..<100 {
            var bytes: [UInt8] = []
            for _ in 0..<5 {
                let part = generator.bytes(Int.random(in: 0...300, using: &generator))
                let message = Array(repeatElement(part, count: 30).joined())
                bytes += client.send(binary: message)
            }
            let delivery =
                round.isMultiple(of: 2)
                ? Delivery.whole : Delivery.randomChunks(seed: generator.next())
            let damaged = round % 3 == 2 ? generator.mutate(bytes) : bytes
            let limits = WebSocketLimits(
                messageBytesMax: Int.random(in: 100...20_000, using: &generator)
            )
            let own = FrameTranscript(damaged, limits: limits, compression: Self.settings)
            let shared = FrameTranscript(
                inPlace: damaged,
                delivery,
                limits: limits,
                compression: Self.settings,
                states: states
            )
            #expect(shared == own, "round \(round)")
        }
    }

    @Test("a message refers to nothing of another connection's message")
    func isolation() {
        let states = CompressionStates()
        // The second refers to the first, which was another connection's (RFC 7692 section 7.2.3.2).
        let hello = clientFrame(
            .text,
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
            isCompressed: true
        )
        let reference = clientFrame(.text, [0xF2, 0x00, 0x11, 0x00, 0x00], isCompressed: true)
        let first = FrameTranscript(inPlace: hello, compression: Self.settings, states: states)
        #expect(first.events == [.text(Array("Hello".utf8))])
        let second = FrameTranscript(inPlace: reference, compression: Self.settings, states: states)
        #expect(second.events.isEmpty)
        #expect(second.error == .malformedCompression)
    }

    @Test("a connection that keeps context does not use the loop's states")
    func context() {
        let states = CompressionStates()
        let kept = PerMessageDeflate(byteCounts: 1...1000)
        var shared = WebSocketConnection(role: .server, compression: kept, states: states)
        var own = WebSocketConnection(role: .server, compression: kept)
        for text in ["Hello", "Hello", "Hello"] {
            #expect(sent(Array(text.utf8), by: &shared) == own.send(text: text))
        }
    }
}
