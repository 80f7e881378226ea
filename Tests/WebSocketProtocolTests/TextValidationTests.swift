// UTF-8 in text messages, Autobahn's section 6: valid and invalid sequences, split in every way,
// and refused at the first byte after which they cannot become valid.

import TestSupport
import Testing
import WebSocketProtocol

@Suite("UTF-8 in messages")
struct TextValidationTests {
    static let valid: [[UInt8]] = [
        Array("Hello-\u{B5}@\u{DF}\u{F6}\u{E4}\u{FC}\u{E0}\u{E1}-UTF-8!!".utf8),
        Array("\u{3BA}\u{1F79}\u{3C3}\u{3BC}\u{3B5}".utf8),
        [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF],
        [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF],
        [0xF0, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF],
    ]

    /// Bytes, and how many of them suffice to detect the error; one more than there are if only the
    /// end does.
    static let invalid: [([UInt8], Int)] = [
        ([0x80], 1), ([0xBF], 1), ([0xC0, 0xAF], 1), ([0xC1, 0xBF], 1), ([0xF5, 0x80], 1),
        ([0xF8, 0x88, 0x80, 0x80, 0x80], 1), ([0xFE], 1), ([0xFF], 1),
        ([0xC2, 0x41], 2), ([0xC2, 0xC2], 2), ([0xE0, 0x9F, 0xBF], 2), ([0xE0, 0x80, 0xAF], 2),
        ([0xED, 0xA0, 0x80], 2), ([0xED, 0xBF, 0xBF], 2), ([0xF0, 0x8F, 0xBF, 0xBF], 2),
        ([0xF4, 0x90, 0x80, 0x80], 2), ([0xE2, 0x82, 0x41], 3), ([0xF0, 0x9F, 0x41], 3),
        ([0xF0, 0x9F, 0x8F, 0xC0], 4),
        ([0xC2], 2), ([0xE2, 0x82], 3), ([0xF0, 0x9F, 0x8F], 4),
    ]

    static let prefixes = ["", "a", "seven..", "sixteen bytes...", "\u{3BA}\u{1F79}"]

    @Test("valid text passes", arguments: valid, Delivery.all)
    func accepts(_ bytes: [UInt8], _ delivery: Delivery) {
        for prefix in Self.prefixes {
            let payload = Array(prefix.utf8) + bytes + Array("tail".utf8)
            #expect(
                FrameTranscript(clientFrame(.text, payload), delivery).events == [.text(payload)]
            )
        }
    }

    @Test("invalid text is refused", arguments: invalid, Delivery.all)
    func refuses(_ one: ([UInt8], Int), _ delivery: Delivery) {
        for prefix in Self.prefixes {
            let payload = Array(prefix.utf8) + one.0
            #expect(FrameTranscript(clientFrame(.text, payload), delivery).error == .invalidUTF8)
            let fragments =
                clientFrame(.text, prefix, isFinal: false)
                + one.0.flatMap { clientFrame(.continuation, [$0], isFinal: false) }
                + clientFrame(.continuation)
            #expect(FrameTranscript(fragments, delivery).error == .invalidUTF8)
        }
    }

    @Test("an invalid byte is refused before the rest of its frame arrives", arguments: invalid)
    func failsFast(_ one: ([UInt8], Int)) throws {
        let (bytes, decisiveCount) = one
        guard decisiveCount <= bytes.count else { return }
        let payload = Array("start ".utf8) + bytes + Array(repeating: 65, count: 100)
        let frame = clientFrame(.text, payload)
        var connection = WebSocketConnection(role: .server)
        let knownAt = 6 + 6 + decisiveCount  // header and mask, "start ", the decisive bytes
        let before = try connection.events(after: Array(frame[..<(knownAt - 1)]))
        #expect(before.isEmpty)
        #expect(throws: WebSocketError.invalidUTF8) {
            try connection.events(after: [frame[knownAt - 1]])
        }
    }

    @Test("the check agrees with the standard library on random bytes", arguments: 1...10)
    func agrees(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let text = Self.valid.shuffled(using: &generator).prefix(3).flatMap(\.self)
            let bytes = Bool.random(using: &generator) ? text : generator.mutate(text)
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            let transcript = FrameTranscript(
                clientFrame(.text, bytes),
                .randomChunks(seed: generator.next())
            )
            #expect((transcript.error == nil) == isValid, "\(bytes)")
        }
    }
}
