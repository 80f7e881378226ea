import EngineProtocol
import TestSupport
import Testing

@Suite("Server-sent events")
struct EventStreamDecoderTests {
    private func data(_ text: String) throws(EngineFault) -> [String] {
        var decoder = EventStreamDecoder()
        return try decoder.receive(text.utf8).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test(
        "lines end with LF, CR or both, and an empty line ends an event",
        arguments: [
            ("data: a\n\n", ["a"]),
            ("data: a\r\n\r\n", ["a"]),
            ("data: a\r\r", ["a"]),
            ("data:a\n\ndata:  b\n\n", ["a", " b"]),
            ("data: a\ndata: b\n\n", ["a\nb"]),
            ("data\n\n", [""]),
            (": comment\n\ndata: a\n\n", ["a"]),
            ("id: 7\nretry: 9\n\n", []),
            ("\u{FEFF}data: a\n\n", ["a"]),
            ("data: a\n", []),
            ("data: a", []),
            ("datum: a\n\n", []),
        ]
    )
    func lines(_ text: String, _ expected: [String]) throws {
        #expect(try data(text) == expected)
    }

    @Test("an event has its type, and llama-server's error field is one")
    func types() throws {
        var decoder = EventStreamDecoder()
        let events = try decoder.receive("event: error\ndata: x\n\nerror: y\n\ndata: z\n\n".utf8)
        #expect(
            events == [
                ServerSentEvent(type: Array("error".utf8), data: Array("x".utf8)),
                ServerSentEvent(type: Array("error".utf8), data: Array("y".utf8)),
                ServerSentEvent(data: Array("z".utf8)),
            ]
        )
    }

    @Test("the events do not depend on how the bytes are split", arguments: 0..<50)
    func splits(_ seed: UInt64) throws {
        let bytes = Array(
            "\u{FEFF}: hi\r\ndata: {\"ä\": \"🦉\"}\r\n\r\nevent: x\rdata: 1\rdata: 2\r\rdata: €\n\n"
                .utf8
        )
        var whole = EventStreamDecoder()
        let expected = try whole.receive(bytes)
        #expect(expected.count == 3)
        var generator = SeededGenerator(seed: seed)
        var decoder = EventStreamDecoder()
        var events: [ServerSentEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 0...4, using: &generator)
            events += try decoder.receive(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        #expect(events == expected)
    }

    @Test("a line and an event have a maximum size, and the decoder holds no more")
    func limits() throws {
        var decoder = EventStreamDecoder(byteCountMax: 16)
        #expect(try decoder.receive("data: 0123456789\n\n".utf8).count == 1)
        #expect(throws: EngineFault.tooLarge(.line, byteLimit: 16)) {
            _ = try decoder.receive("data: 01234567890".utf8)
        }
        #expect(throws: EngineFault.tooLarge(.line, byteLimit: 16)) {
            _ = try decoder.receive("\n\n".utf8)
        }
        var other = EventStreamDecoder(byteCountMax: 16)
        #expect(throws: EngineFault.tooLarge(.event, byteLimit: 16)) {
            _ = try other.receive("data: 12345678\ndata: 12345678\n\n".utf8)
        }
    }
}
