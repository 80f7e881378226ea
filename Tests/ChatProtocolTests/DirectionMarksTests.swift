import ChatProtocol
import FoundationEssentials
import Testing

@Suite("Characters that override text direction")
struct DirectionMarksTests {
    private static let all = (Array(0x202A...0x202E) + Array(0x2066...0x2069))
        .compactMap { Unicode.Scalar(UInt32($0)) }

    @Test("the listed characters are recognized, and their neighbours are not")
    func list() {
        for value in UInt32(0x2000)...0x20FF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(DirectionMarks.contains(scalar) == Self.all.contains(scalar))
        }
    }

    @Test("are removed from displayed text")
    func removal() {
        #expect(DirectionMarks.removed(from: "\u{202E}gnp.exe") == "gnp.exe")
        for mark in Self.all {
            #expect(DirectionMarks.removed(from: "a\(mark)b") == "ab")
        }
        // Letters of either direction, and marks without a scope, stay.
        for text in ["", "plain", "שלום world", "a\u{200F}b\u{200E}", "\u{2028}\u{2065}\u{206A}"] {
            #expect(DirectionMarks.removed(from: text) == text)
        }
    }

    @Test("are escaped in JSON, without changing its value")
    func escaping() throws {
        for mark in Self.all {
            let texts = ["\(mark)", "a\(mark)\(mark)é日\u{2028}", "\\\(mark)\"", "\u{2029}\u{206A}"]
            let json = [UInt8](try JSONEncoder().encode(texts))
            let escaped = DirectionMarks.escaped(inJSON: json)
            let text = String(decoding: escaped, as: UTF8.self)
            #expect(!text.unicodeScalars.contains(where: DirectionMarks.contains))
            #expect(try JSONDecoder().decode([String].self, from: Data(escaped)) == texts)
        }
        let other = Array(#"{"a":"é日 \u2028"}"#.utf8)
        #expect(DirectionMarks.escaped(inJSON: other) == other)
        // An incomplete character at the end is passed through.
        #expect(DirectionMarks.escaped(inJSON: [0xE2, 0x80]) == [0xE2, 0x80])
    }
}
