import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

/// The text of frames: JSON of any value, equivalent to Foundation's.
@Suite("JSON text")
struct JSONTextEncoderTests {
    @Test("encoded values decode to themselves", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let value = JSONValue.random(&generator)
        let text = WireEncoding.text(value)
        let read = try JSONDecoder().decode(JSONValue.self, from: Data(text))
        #expect(read == value, "\(String(decoding: text, as: UTF8.self))")
    }

    struct Nested: Encodable {
        private enum Key: CodingKey { case first, list, last }
        private enum Inner: CodingKey { case one }

        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Key.self)
            var inner = outer.nestedContainer(keyedBy: Inner.self, forKey: .first)
            try inner.encode(1, forKey: .one)
            var list = outer.nestedUnkeyedContainer(forKey: .list)
            try list.encode("a")
            var element = list.nestedContainer(keyedBy: Inner.self)
            try element.encode(2, forKey: .one)
            try list.encodeNil()
            // Requests the same container again.
            var again = encoder.container(keyedBy: Key.self)
            try again.encode(true, forKey: .last)
        }
    }

    struct Nothing: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    @Test("nested containers are closed in the right places")
    func nesting() {
        let text = String(decoding: WireEncoding.text([Nested(), Nested()]), as: UTF8.self)
        let one = #"{"first":{"one":1},"list":["a",{"one":2},null],"last":true}"#
        #expect(text == "[\(one),\(one)]")
        let empty = String(decoding: WireEncoding.text([Nothing()]), as: UTF8.self)
        #expect(empty == "[{}]")
        #expect(
            String(decoding: WireEncoding.text([[Int]](arrayLiteral: [], [])), as: UTF8.self)
                == "[[],[]]"
        )
    }

    @Test(
        "numbers are written as by Foundation",
        arguments: [0, -0.0, 1, 0.1, 1e-7, 1e15, 1e16, 1e300, .pi, -2.5, .greatestFiniteMagnitude]
    )
    func numbers(value: Double) throws {
        let text = WireEncoding.text([value])
        #expect(try JSONDecoder().decode([Double].self, from: Data(text)) == [value])
        #expect(try text == Array(JSONEncoder().encode([value])))
    }

    @Test("integers are exact")
    func integers() {
        let text = WireEncoding.text([Int64.min, -1, 0, 9_007_199_254_740_993, .max])
        let expected = "[-9223372036854775808,-1,0,9007199254740993,9223372036854775807]"
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    @Test("infinity and NaN are written as strings")
    func notNumbers() {
        let text = WireEncoding.text([Double.nan, .infinity, -.infinity])
        #expect(String(decoding: text, as: UTF8.self) == #"["NaN","Infinity","-Infinity"]"#)
    }
}

extension JSONValue {
    fileprivate static func random(_ generator: inout SeededGenerator, depth: Int = 0) -> JSONValue
    {
        switch Int.random(in: 0..<(depth < 4 ? 7 : 5), using: &generator) {
        case 0: return .null
        case 1: return .boolean(.random(using: &generator))
        case 2: return .number(Double(Int.random(in: -1 << 53...1 << 53, using: &generator)))
        case 3: return .number(.random(in: -1e9...1e9, using: &generator))
        case 4: return .text(text(&generator))
        case 5:
            let count = Int.random(in: 0..<4, using: &generator)
            return .list((0..<count).map { _ in random(&generator, depth: depth + 1) })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                members[text(&generator)] = random(&generator, depth: depth + 1)
            }
            return .object(members)
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let some: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{2028}", "日", "🌊",
        ]
        let count = Int.random(in: 0..<6, using: &generator)
        let scalars = (0..<count).compactMap { _ in some.randomElement(using: &generator) }
        return String(String.UnicodeScalarView(scalars))
    }
}
