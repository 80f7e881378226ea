import TestSupport
import Testing
import WebSocketProtocol

@Suite("Messages read in place")
struct InPlaceTests {
    @Test("what is read in place is what is read otherwise", arguments: Delivery.all)
    func same(_ delivery: Delivery) {
        let lengths = [0, 1, 3, 4, 5, 7, 8, 9, 31, 32, 33, 124, 125, 126, 127, 300, 65535, 65536]
        var stream: [UInt8] = []
        for length in lengths {
            let text = [UInt8](repeating: 0x61, count: length)
            let binary: [UInt8] = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            stream += clientFrame(.text, text)
            stream += clientFrame(.ping, [1])
            stream += clientFrame(.binary, binary)
        }
        let transcript = FrameTranscript(inPlace: stream, delivery)
        #expect(transcript == FrameTranscript(stream, delivery))
        #expect(transcript.events.count == 3 * lengths.count)
    }

    @Test("a mutated stream has the same outcome in place")
    func mutated() {
        var generator = SeededGenerator(seed: 3)
        let text = Array("Gr\u{FC}\u{DF}e \u{1F3DB}".utf8)
        let frames: [[UInt8]] = [
            clientFrame(.text, text),
            clientFrame(.text, Array(text.prefix(3)), isFinal: false),
            clientFrame(.continuation, Array(text.dropFirst(3))),
            clientFrame(.binary, [UInt8](repeating: 7, count: 140)),
            clientFrame(.text, text),
            clientFrame(.close, [3, 0xE8, 65]),
        ]
        let seed = Array(frames.joined())
        let limits = WebSocketLimits(frameBytesMax: 150, messageBytesMax: 180, fragmentCountMax: 5)
        for _ in 0..<FrameFuzzTests.inputCount {
            let bytes = generator.mutate(seed)
            let expected = FrameTranscript(bytes, limits: limits)
            #expect(FrameTranscript(inPlace: bytes, limits: limits) == expected, "\(bytes)")
        }
    }

    @Test("a message is lent where it was received, not copied")
    func lent() {
        let frame = clientFrame(.text, "Hello")
        var places: [UInt] = []
        // Whole messages only: a message in parts has to be put together somewhere else.
        let whole = FrameTranscript(inPlace: frame + frame) {
            places.append(UInt(bitPattern: $0.baseAddress))
        }
        #expect(whole.events == [.text(Array("Hello".utf8)), .text(Array("Hello".utf8))])
        #expect(places.count == 2)
        #expect(places.last == places.first.map { $0 + UInt(frame.count) })
        let parts = FrameTranscript(inPlace: frame, .byteByByte) { _ in
            Issue.record("a message in parts was lent")
        }
        #expect(parts.events == [.text(Array("Hello".utf8))])
    }

    @Test("a wrong character in place ends the connection as it does otherwise")
    func wrongCharacter() {
        let bytes = clientFrame(.text, [0x61, 0xC3]) + clientFrame(.text, "a")
        let transcript = FrameTranscript(inPlace: bytes)
        #expect(transcript.events.isEmpty)
        #expect(transcript.error == .invalidUTF8)
    }

    @Test("the header of a lent message is that of its frame")
    func header() {
        for length in [0, 1, 125, 126, 65535, 65536, 70000] {
            let payload = Array(repeating: UInt8(0x61), count: length)
            var frame: [UInt8] = []
            payload.withUnsafeBytes { bytes in
                let message = WebSocketMessage(isText: true, bytes: bytes)
                message.withFrameHeader { frame.append(contentsOf: $0) }
            }
            #expect(frame + payload == WebSocketFrame.encode(text: payload))
        }
    }
}
