import TestSupport
import Testing
import WebSocketProtocol

@Suite("Valid frames")
struct FrameParsingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var events: [WebSocketEvent]
        var role = WebSocketConnection.Role.server
        var testDescription: String { name }
    }

    /// RFC 6455 section 5.7, byte for byte.
    static let examples: [Case] = [
        Case(
            name: "5.7: an unmasked text",
            bytes: [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F],
            events: [.text(Array("Hello".utf8))],
            role: .client
        ),
        Case(
            name: "5.7: a masked text",
            bytes: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            events: [.text(Array("Hello".utf8))]
        ),
        Case(
            name: "5.7: an unmasked text in fragments",
            bytes: [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F],
            events: [.text(Array("Hello".utf8))],
            role: .client
        ),
        Case(
            name: "5.7: an unmasked ping",
            bytes: [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F],
            events: [.ping(Array("Hello".utf8))],
            role: .client
        ),
        Case(
            name: "5.7: a masked pong",
            bytes: [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            events: [.pong(Array("Hello".utf8))]
        ),
        Case(
            name: "5.7: 256 binary bytes",
            bytes: [0x82, 0x7E, 0x01, 0x00] + Array(0...255),
            events: [.binary(Array(0...255))],
            role: .client
        ),
        Case(
            name: "5.7: 65536 binary bytes",
            bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + Array(repeating: 7, count: 65536),
            events: [.binary(Array(repeating: 7, count: 65536))],
            role: .client
        ),
    ]

    static let messages: [Case] = [
        Case(
            name: "empty messages",
            bytes: clientFrame(.text, "") + clientFrame(.binary),
            events: [.text([]), .binary([])]
        ),
        Case(
            name: "empty fragments",
            bytes: clientFrame(.text, "", isFinal: false)
                + clientFrame(.continuation, "a", isFinal: false)
                + clientFrame(.continuation, "", isFinal: false) + clientFrame(.continuation, ""),
            events: [.text([97])]
        ),
        Case(
            name: "control frames between fragments",
            bytes: clientFrame(.text, "one, ", isFinal: false) + clientFrame(.ping, "p")
                + clientFrame(.continuation, "two", isFinal: false) + clientFrame(.pong)
                + clientFrame(.continuation, "!") + clientFrame(.ping),
            events: [.ping([112]), .pong([]), .text(Array("one, two!".utf8)), .ping([])]
        ),
        Case(
            name: "a character cut between fragments",
            bytes: clientFrame(.text, [0xF0, 0x9F], isFinal: false) + clientFrame(.ping, [0xFF])
                + clientFrame(.continuation, [0x8F, 0x9B, 0xEF, 0xBF], isFinal: false)
                + clientFrame(.continuation, [0xBF]),
            events: [.ping([0xFF]), .text(Array("\u{1F3DB}\u{FFFF}".utf8))]
        ),
        Case(
            name: "binary bytes are not checked",
            bytes: clientFrame(.binary, [0xFF, 0xC0], isFinal: false)
                + clientFrame(.continuation, [0x80]) + clientFrame(.text, "\u{E9}"),
            events: [.binary([0xFF, 0xC0, 0x80]), .text([0xC3, 0xA9])]
        ),
        Case(
            name: "control frames of 125 bytes",
            bytes: clientFrame(.ping, Array(repeating: 1, count: 125)),
            events: [.ping(Array(repeating: 1, count: 125))]
        ),
    ]

    static let closes: [Case] = [
        Case(
            name: "a close without code",
            bytes: clientFrame(.close),
            events: [.close(nil, reason: "")]
        ),
        Case(
            name: "a close with code and reason",
            bytes: clientFrame(.close, [0x03, 0xE8] + Array("b\u{FC}e".utf8)),
            events: [.close(.normal, reason: "b\u{FC}e")]
        ),
        Case(
            name: "a close in the middle of a message, and frames after it",
            bytes: clientFrame(.text, "a", isFinal: false) + clientFrame(.close, [0x03, 0xE9])
                + clientFrame(.text, "b") + [0xFF, 0xFF, 0xFF],
            events: [.close(.goingAway, reason: "")]
        ),
    ]

    static let cases = examples + messages + closes

    @Test(
        "the parsed frames do not depend on how the bytes are split",
        arguments: cases,
        Delivery.all
    )
    func reads(_ one: Case, _ delivery: Delivery) {
        let transcript = FrameTranscript(one.bytes, delivery, role: one.role)
        #expect(transcript.error == nil)
        #expect(transcript.events == one.events)
    }

    @Test(
        "lengths around the limit of each length encoding are preserved",
        arguments: [0, 1, 7, 8, 9, 124, 125, 126, 127, 128, 65535, 65536, 65537],
        Delivery.all
    )
    func lengths(_ count: Int, _ delivery: Delivery) {
        var generator = SeededGenerator(seed: UInt64(count))
        let payload = generator.bytes(count)
        let bytes = clientFrame(.binary, payload)
        let headerByteCount = count < 126 ? 2 : count < 65536 ? 4 : 10
        #expect(bytes.count == headerByteCount + 4 + count)
        #expect(FrameTranscript(bytes, delivery).events == [.binary(payload)])
        let unmasked = WebSocketFrame.encode(binary: payload)
        #expect(FrameTranscript(unmasked, delivery, role: .client).events == [.binary(payload)])
    }

    @Test(
        "a code that may be sent is received",
        arguments: [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999,
            4000,
            4999,
        ] as [UInt16]
    )
    func closeCodes(_ code: UInt16) {
        let frame = clientFrame(.close, [UInt8(code >> 8), UInt8(code & 0xFF)])
        let expected = WebSocketEvent.close(WebSocketCloseCode(rawValue: code), reason: "")
        #expect(FrameTranscript(frame).events == [expected])
    }
}
