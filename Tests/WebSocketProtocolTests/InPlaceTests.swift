import TestSupport
import Testing
import WebSocketProtocol

@Suite("Messages parsed in place")
struct InPlaceTests {
    @Test("parsing in place gives the same events", arguments: Delivery.all)
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

    @Test("parsing a mutated stream in place gives the same result")
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

    @Test("a message is borrowed from the read buffer, not copied")
    func borrowed() {
        let frame = clientFrame(.text, "Hello")
        var addresses: [UInt] = []
        // Complete messages only: parts have to be copied into one buffer.
        let whole = FrameTranscript(inPlace: frame + frame) {
            addresses.append(UInt(bitPattern: $0.baseAddress))
        }
        #expect(whole.events == [.text(Array("Hello".utf8)), .text(Array("Hello".utf8))])
        #expect(addresses.count == 2)
        #expect(addresses.last == addresses.first.map { $0 + UInt(frame.count) })
        let parts = FrameTranscript(inPlace: frame, .byteByByte) { _ in
            Issue.record("a message in parts was borrowed")
        }
        #expect(parts.events == [.text(Array("Hello".utf8))])
    }

    @Test("an invalid character ends the connection in place too")
    func wrongCharacter() {
        let bytes = clientFrame(.text, [0x61, 0xC3]) + clientFrame(.text, "a")
        let transcript = FrameTranscript(inPlace: bytes)
        #expect(transcript.events.isEmpty)
        #expect(transcript.error == .invalidUTF8)
    }

    @Test("the header of a borrowed message is that of its frame")
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
