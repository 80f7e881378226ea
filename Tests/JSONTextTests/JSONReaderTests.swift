import JSONText
import TestSupport
import Testing

/// A source that returns pieces of one size, so that every token is split somewhere.
private final class Pieces: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let count: Int

    init(_ bytes: [UInt8], of count: Int) {
        rest = bytes[...]
        self.count = count
    }

    func next() -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

@Suite("JSON from a stream")
struct JSONReaderTests {
    private func tokens(
        _ text: [UInt8],
        pieces: Int = 7,
        limits: JSONReaderLimits = JSONReaderLimits()
    ) throws -> [JSONToken] {
        var reader = JSONReader(Pieces(text, of: pieces), limits: limits)
        var tokens: [JSONToken] = []
        while true {
            let token = try reader.next()
            if case .end = token { return tokens }
            tokens.append(token)
        }
    }

    private func refusal(
        _ text: String,
        limits: JSONReaderLimits = JSONReaderLimits()
    ) -> JSONError? {
        do {
            _ = try tokens(Array(text.utf8), limits: limits)
            return nil
        } catch {
            return error as? JSONError
        }
    }

    private func reason(_ text: String) -> JSONError.Reason? { refusal(text)?.reason }

    @Test("the tokens do not depend on how the text is split", arguments: 1...12)
    func pieces(count: Int) throws {
        let text = #"""
            {"a": [1, -2.5e3, true, false, null], "b\u00e9\n": "\ud83d\ude00 ü \"q\" \\/",
             "c": {}, "d": [[]], "e": "\ud83d!", "f": "\udc00"}
            """#
        let expected: [JSONToken] = [
            .beginObject, .key("a"), .beginArray, .number(1), .number(-2500), .bool(true),
            .bool(false), .null, .endArray, .key("bé\n"), .string("😀 ü \"q\" \\/"), .key("c"),
            .beginObject, .endObject, .key("d"), .beginArray, .beginArray, .endArray, .endArray,
            .key("e"), .string("\u{FFFD}!"), .key("f"), .string("\u{FFFD}"), .endObject,
        ]
        #expect(try tokens(Array(text.utf8), pieces: count) == expected)
        #expect(try tokens([0xEF, 0xBB, 0xBF] + Array(text.utf8), pieces: count) == expected)
    }

    @Test("a malformed text is refused at the first invalid byte")
    func malformed() {
        #expect(reason("") == .unexpectedEnd)
        #expect(refusal("[1, 2")?.offset == 5)
        #expect(reason("[1, 2") == .unexpectedEnd)
        #expect(refusal("[1 2]")?.offset == 3)
        #expect(reason("[1 2]") == .unexpectedByte(50, expected: "a comma or the end of a list"))
        #expect(reason("[1,]") == .unexpectedByte(93, expected: "a value"))
        #expect(reason(#"{"a" 1}"#) == .unexpectedByte(49, expected: "a colon"))
        #expect(reason("{1: 2}") == .unexpectedByte(49, expected: "a key"))
        #expect(reason(#"{"a": 1,}"#) == .unexpectedByte(125, expected: "a key"))
        #expect(reason("[1}") == .unexpectedByte(125, expected: "a comma or the end of a list"))
        #expect(reason("[] []") == .trailingBytes)
        for number in ["01", "1.", ".5", "+1", "-", "1e", "1e+", "--1", "1.2.3"] {
            let reason = reason("[\(number)]")
            #expect(reason == .malformedNumber || reason?.isUnexpectedByte == true, "\(number)")
        }
        #expect(reason("1e999") == .numberOutOfRange)
        #expect(reason(String(repeating: "9", count: 65)) == .numberTooLong(limit: 64))
        #expect(reason("\"a\u{1}\"") == .controlCharacter)
        #expect(reason(#""\x""#) == .malformedEscape)
        #expect(reason(#""\u12g4""#) == .malformedEscape)
        #expect(reason("nul") == .unexpectedEnd)
        #expect(reason("nulls") == .trailingBytes)
    }

    @Test("strings are valid UTF-8: no overlong forms, surrogates or truncated sequences")
    func encodings() {
        let broken: [[UInt8]] = [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
            [0x80],
        ]
        for bytes in broken {
            let error = #expect(throws: JSONError.self) {
                try tokens(Array("[\"ab".utf8) + bytes + Array("\"]".utf8))
            }
            #expect(error?.reason == .invalidUTF8)
            #expect(error?.offset == 1)
        }
    }

    @Test("nesting up to the limit is accepted")
    func depth() throws {
        let limits = JSONReaderLimits(depthMax: 1000)
        let text = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        #expect(try tokens(Array(text.utf8), limits: limits).count == 2000)
        #expect(refusal("[" + text + "]", limits: limits)?.reason == .tooDeep(limit: 1000))
    }

    @Test("the reader continues after a string that is too long, and skips values")
    func skipping() throws {
        var reader = JSONReader(
            Pieces(
                Array(#"[{"key": "0123456789", "b": [1]}, "0123456789", [[2]], 3]"#.utf8),
                of: 3
            ),
            limits: JSONReaderLimits(stringByteCountMax: 5)
        )
        #expect(try reader.next() == .beginArray)
        #expect(try reader.next() == .beginObject)
        #expect(try reader.next() == .key("key"))
        #expect(throws: JSONError.self) { try reader.next() }
        try reader.skip(toDepth: 1)
        try reader.skipValue()
        try reader.skipValue()
        #expect(try reader.next() == .number(3))
        #expect(try reader.next() == .endArray)
        #expect(try reader.next() == .end)
    }

    @Test("random bytes never crash the reader or make it read without end")
    func noise() throws {
        var generator = SeededGenerator(seed: 5)
        let seed = Array(
            #"{"chats": [{"id": "c", "n": -1.5e3, "b": [true, null, {}], "t": "\u00e9 \ud83d\ude00"}]}"#
                .utf8
        )
        for _ in 0..<300 {
            let bytes = generator.mutate(seed)
            let count = (try? tokens(bytes, pieces: 64))?.count ?? 0
            #expect(count <= bytes.count)
        }
    }
}

extension JSONError.Reason {
    fileprivate var isUnexpectedByte: Bool {
        if case .unexpectedByte = self { true } else { false }
    }
}
