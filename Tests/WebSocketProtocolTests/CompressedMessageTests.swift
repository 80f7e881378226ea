// Compressed messages of RFC 7692 section 7.2, and errors in them.

import Deflate
import TestSupport
import Testing
import WebSocketProtocol

/// Bytes written as hexadecimal digits.
private func hex(_ text: String) -> [UInt8] {
    text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
}

@Suite("Compressed messages")
struct CompressedMessageTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var texts: [String]
        var testDescription: String { name }
    }

    /// Section 7.2.3, byte for byte, as a server sends them.
    static let examples: [Example] = [
        Example(name: "one block", bytes: hex("c1 07 f2 48 cd c9 c9 07 00"), texts: ["Hello"]),
        Example(
            name: "one block in two fragments",
            bytes: hex("41 03 f2 48 cd 80 04 c9 c9 07 00"),
            texts: ["Hello"]
        ),
        Example(
            name: "a reference to the message before",
            bytes: hex("c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00"),
            texts: ["Hello", "Hello"]
        ),
        Example(
            name: "a block that is stored",
            bytes: hex("c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00"),
            texts: ["Hello"]
        ),
        Example(
            name: "a final block, and a reference to before it",
            bytes: hex("c1 08 f3 48 cd c9 c9 07 00 00 c1 05 f2 00 11 00 00"),
            texts: ["Hello", "Hello"]
        ),
        Example(
            name: "two blocks",
            bytes: hex("c1 0d f2 48 05 00 00 00 ff ff ca c9 c9 07 00"),
            texts: ["Hello"]
        ),
        Example(
            name: "an empty last fragment",
            bytes: hex("41 0a 00 05 00 fa ff 48 65 6c 6c 6f 80 01 00"),
            texts: ["Hello"]
        ),
        Example(name: "an empty message", bytes: hex("c1 01 00 c1 01 01"), texts: ["", ""]),
        Example(
            name: "a message that is not compressed between two that are",
            bytes: hex("c1 07 f2 48 cd c9 c9 07 00 81 02 48 69 c1 05 f2 00 11 00 00"),
            texts: ["Hello", "Hi", "Hello"]
        ),
    ]

    @Test("the examples of RFC 7692 are decompressed", arguments: examples, Delivery.all)
    func example(_ one: Example, _ delivery: Delivery) {
        let transcript = FrameTranscript(
            one.bytes,
            delivery,
            role: .client,
            compression: PerMessageDeflate()
        )
        #expect(transcript.error == nil)
        let expected = one.texts.map { WebSocketEvent.text(Array($0.utf8)) }
        #expect(transcript.events == expected)
    }

    @Test("a server encodes the examples of RFC 7692, with and without context takeover")
    func sending() {
        let first = hex("c1 07 f2 48 cd c9 c9 07 00")
        var server = WebSocketConnection(
            role: .server,
            compression: PerMessageDeflate(byteCounts: 1...100)
        )
        #expect(server.send(text: "Hello") == first)
        #expect(server.send(text: "Hello") == hex("c1 05 f2 00 11 00 00"))
        #expect(server.send(text: "") == hex("81 00"))

        var withoutContext = WebSocketConnection(
            role: .server,
            compression: PerMessageDeflate(byteCounts: 1...100, keepsContext: false)
        )
        // Compression would make it longer.
        #expect(withoutContext.send(text: "Hello") == hex("81 05 48 65 6c 6c 6f"))
        let text = String(repeating: "Hello", count: 10)
        let frame = withoutContext.send(text: text)
        #expect(frame[0] == 0xC1)
        #expect(frame.count < 20)
        #expect(withoutContext.send(text: text) == frame)
        let tooLong = withoutContext.send(text: text + text + text)
        #expect(tooLong[0] == 0x81)
    }

    @Test("a client with a window of 8 bits sends nothing compressed")
    func smallestWindow() throws {
        let handshake = WebSocketClientHandshake(
            target: "/",
            host: "h",
            compression: PerMessageDeflate(byteCounts: 1...1000)
        )
        let acceptance = try WebSocketHandshake.accept(
            handshake.request,
            compression: PerMessageDeflate(peerWindowBits: 8)
        )
        let agreed = try #require(try handshake.compression(in: acceptance.response))
        #expect(agreed.windowBits == 8)
        var client = WebSocketConnection(role: .client, compression: agreed)
        let frame = client.send(binary: [UInt8](repeating: 0, count: 1000))
        #expect(frame[0] == 0x82)
    }

    // MARK: Errors

    struct Violation: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var error: WebSocketError
        var eventCount = 0
        var compression = PerMessageDeflate()
        var testDescription: String { name }
    }

    /// A message with this payload, in one compressed frame.
    private static func message(_ payload: String) -> [UInt8] {
        clientFrame(.text, hex(payload), isCompressed: true)
    }

    static let reservedBits: [Violation] = [
        Violation(name: "on a ping", bytes: [0xC9], error: .reservedBitSet),
        Violation(name: "on a pong", bytes: [0xCA], error: .reservedBitSet),
        Violation(name: "on a close", bytes: [0xC8], error: .reservedBitSet),
        Violation(name: "on a continuation of nothing", bytes: [0xC0], error: .reservedBitSet),
        Violation(name: "RSV2 beside it", bytes: [0xE1], error: .reservedBitSet),
        Violation(name: "RSV3 beside it", bytes: [0xD1], error: .reservedBitSet),
        Violation(
            name: "on a continuation of a compressed message",
            bytes: clientFrame(.text, hex("f2"), isFinal: false, isCompressed: true) + [0xC0],
            error: .reservedBitSet
        ),
        Violation(
            name: "on a continuation of one that is not",
            bytes: clientFrame(.text, "a", isFinal: false) + [0xC0],
            error: .reservedBitSet
        ),
    ]

    static let payloads: [Violation] = [
        Violation(name: "no block", bytes: message(""), error: .malformedCompression),
        Violation(name: "an unknown block", bytes: message("07"), error: .malformedCompression),
        Violation(name: "a cut block", bytes: message("f2 48 cd c9"), error: .malformedCompression),
        Violation(
            name: "a stored block's length that does not match",
            bytes: message("00 05 00 fa fe 48 65 6c 6c 6f 00"),
            error: .malformedCompression
        ),
        Violation(
            name: "a final block without the empty one",
            bytes: message("f3 48 cd c9 c9 07 00"),
            error: .malformedCompression
        ),
        Violation(
            name: "garbage behind a final block",
            bytes: message("f3 48 cd c9 c9 07 00 ff ff"),
            error: .malformedCompression
        ),
        Violation(
            name: "a reference to before the first message",
            bytes: message("f2 00 11 00 00"),
            error: .malformedCompression
        ),
        Violation(
            name: "a reference to a message that is to be forgotten",
            bytes: message("f2 48 cd c9 c9 07 00") + message("f2 00 11 00 00"),
            error: .malformedCompression,
            eventCount: 1,
            compression: PerMessageDeflate(peerKeepsContext: false)
        ),
        Violation(
            name: "text that is not UTF-8",
            bytes: message("00 02 00 fd ff c3 28 00"),
            error: .invalidUTF8
        ),
        Violation(
            name: "text that ends within a character",
            bytes: message("00 01 00 fe ff c3 00"),
            error: .invalidUTF8
        ),
        Violation(
            name: "text that is not UTF-8 before its last fragment",
            bytes: clientFrame(
                .text,
                hex("00 02 00 fd ff c3 28"),
                isFinal: false,
                isCompressed: true
            ),
            error: .invalidUTF8
        ),
    ]

    static let violations = reservedBits + payloads

    @Test("a protocol error ends the connection", arguments: violations, Delivery.all)
    func refuses(_ one: Violation, _ delivery: Delivery) {
        let transcript = FrameTranscript(
            one.bytes + clientFrame(.text, "after"),
            delivery,
            compression: one.compression
        )
        #expect(transcript.error == one.error)
        #expect(transcript.events.count == one.eventCount)
    }

    @Test(
        "control frames may be between compressed fragments, and characters may be split"
    )
    func fragments() {
        let bytes =
            clientFrame(.text, hex("00 02 00 fd ff 41 c3"), isFinal: false, isCompressed: true)
            + clientFrame(.ping, "p")
            + clientFrame(.continuation, hex("00 01 00 fe ff"), isFinal: false)
            + clientFrame(.continuation, [], isFinal: false)
            + clientFrame(.pong)
            + clientFrame(.continuation, hex("a9 00"))
        for delivery in Delivery.all {
            let transcript = FrameTranscript(bytes, delivery, compression: PerMessageDeflate())
            let text = WebSocketEvent.text(Array("A\u{E9}".utf8))
            #expect(transcript.error == nil)
            #expect(transcript.events == [.ping([0x70]), .pong([]), text])
        }
    }

    // MARK: Bombs

    @Test("a message is decompressed up to the limit and no further", arguments: Delivery.all)
    func bomb(_ delivery: Delivery) throws {
        let deflater = try Deflater(level: 9, windowBits: 15, memoryLevel: 9)
        func outcome(_ byteCount: Int) -> FrameTranscript {
            deflater.reset()
            let zeros = [UInt8](repeating: 0, count: byteCount)
            let frame = clientFrame(
                .binary,
                Array(deflater.compress(zeros[...]).dropLast(4)),
                isCompressed: true
            )
            return FrameTranscript(
                frame,
                delivery,
                limits: WebSocketLimits(frameBytesMax: 1 << 17, messageBytesMax: 100_000),
                compression: PerMessageDeflate()
            )
        }
        let exact = outcome(100_000)
        #expect(exact.error == nil)
        #expect(exact.events == [.binary([UInt8](repeating: 0, count: 100_000))])
        for byteCount in [100_001, 200_000, 20_000_000] {
            let transcript = outcome(byteCount)
            #expect(transcript.error == .messageTooLarge)
            #expect(transcript.events.isEmpty)
        }
        #expect(WebSocketError.messageTooLarge.closeCode == .messageTooBig)
    }

    @Test("the limit is for all fragments together, and for many final blocks")
    func manyPieces() throws {
        let limits = WebSocketLimits(messageBytesMax: 9)
        let hello = hex("f3 48 cd c9 c9 07 00")
        let twice = FrameTranscript(
            clientFrame(.text, hello, isFinal: false, isCompressed: true)
                + clientFrame(.continuation, hello, isFinal: false),
            limits: limits,
            compression: PerMessageDeflate()
        )
        #expect(twice.error == .messageTooLarge)
        let empty = Array(repeatElement([0x03, 0x00] as [UInt8], count: 100_000).joined())
        let many = FrameTranscript(
            clientFrame(.text, empty + hello + [0], isCompressed: true),
            limits: limits,
            compression: PerMessageDeflate()
        )
        #expect(many.events == [.text(Array("Hello".utf8))])
    }
}
