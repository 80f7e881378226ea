import JSONText
import Testing

/// Parses `text`.
private func parse(_ text: String) throws(JSONError) -> JSONValue {
    try JSONValue(parsing: Array(text.utf8))
}

/// The error of parsing `text`; nil if it parses.
private func parseError(_ text: String) -> JSONError? {
    do throws(JSONError) {
        _ = try parse(text)
        return nil
    } catch {
        return error
    }
}

@Suite("JSON values")
struct JSONValueTests {
    @Test(
        "each kind of value is read",
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("false", .bool(false)),
            ("0", .integer(0)), ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1e-05", .number(1e-5)), ("-0.5", .number(-0.5)), ("2E+3", .number(2000)),
            ("1.1900000000000001", .number(1.1900000000000001)),
            ("\"\"", .string("")), ("[]", .array([])),
            ("[1, [true],null]", .array([.integer(1), .array([.bool(true)]), .null])),
        ] as [(String, JSONValue)]
    )
    func kinds(text: String, expected: JSONValue) throws {
        #expect(try parse(text) == expected)
    }

    @Test(
        "strings are unescaped",
        arguments: [
            (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"),
            (#""\u00e9\u2581""#, "é▁"), (#""\ud83d\ude00!""#, "😀!"), (#""😀\n""#, "😀\n"),
            (#""\u0000""#, "\0"),
        ]
    )
    func strings(text: String, expected: String) throws {
        #expect(try parse(text).string == expected)
    }

    @Test("members keep their order and are found by key")
    func objects() throws {
        let value = try parse(#"{"b": 1, "a": {"deep": [2]}, "": null}"#)
        #expect(value.object?.map(\.key) == ["b", "a", ""])
        #expect(value["a"]?["deep"]?.array?.first?.integer == 2)
        #expect(value[""]?.isNull == true)
        #expect(value["c"] == nil)
    }

    @Test("an object of many members finds each of them, also canonically equivalent keys")
    func manyMembers() throws {
        let keys = (0..<5000).map { "key\($0)" } + ["\u{E9}", "e\u{301}"]
        let members = keys.enumerated().map { "\"\($1)\":\($0)" }
        let value = try parse("{\(members.joined(separator: ","))}")
        for (index, key) in keys.enumerated() {
            #expect(value[key]?.integer == index)
        }
        #expect(value["key5000"] == nil)
    }

    @Test(
        "malformed text is refused with reason and offset",
        arguments: [
            ("", .unexpectedEnd, 0), ("[1,", .unexpectedEnd, 3), ("\"abc", .unexpectedEnd, 4),
            ("tru", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4), ("-", .unexpectedEnd, 1),
            ("1 2", .trailingBytes, 2), ("[1}", .unexpectedByte(0x7D, expected: "',' or ']'"), 2),
            ("{1:2}", .unexpectedByte(0x31, expected: "a key"), 1),
            ("[1,]", .unexpectedByte(0x5D, expected: "a value"), 3),
            ("01", .malformedNumber, 0), ("1.x", .malformedNumber, 2),
            ("1e999", .numberOutOfRange, 0), (#""\x""#, .malformedEscape, 1),
            (#""\ud800""#, .unexpectedEnd, 8), (#""\ud800\u0041""#, .malformedEscape, 1),
            (#""\udc00\udc00""#, .malformedEscape, 1), ("\"a\nb\"", .controlCharacter, 2),
            (#"{"a":1,"b":2,"a":3}"#, .duplicateKey("a"), 0),
        ] as [(String, JSONError.Reason, Int)]
    )
    func malformed(text: String, reason: JSONError.Reason, offset: Int) {
        #expect(parseError(text) == JSONError(reason, at: offset))
    }

    @Test("a duplicate among many keys is refused")
    func duplicateAmongMany() {
        let members = (0..<100).map { "\"k\($0 % 99)\":0" }.joined(separator: ",")
        #expect(parseError("{\(members)}")?.reason == .duplicateKey("k0"))
    }

    @Test("a string that is not UTF-8 is refused")
    func invalidUTF8() {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: [0x22, 0x61, 0xC3, 0x28, 0x22])
        }
        #expect(error == JSONError(.invalidUTF8, at: 2))
    }

    @Test("nesting, length and number of values are bounded")
    func limits() throws {
        let nested = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        _ = try parse(nested)
        #expect(parseError("[\(nested)]")?.reason == .tooDeep(limit: 64))
        #expect(throws: JSONError.self) {
            try JSONValue(
                parsing: Array("[0,0]".utf8),
                limits: JSONLimits(byteCountMax: 4)
            )
        }
        let few = JSONLimits(valueCountMax: 3)
        _ = try JSONValue(parsing: Array("[0,0]".utf8), limits: few)
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array("[0,0,0]".utf8), limits: few)
        }
        #expect(error == JSONError(.tooManyValues(limit: 3), at: 5))
    }

    @Test("every prefix of a text is refused, and none traps")
    func cuts() throws {
        let text = Array(#"{"a":[1.5e3,-2,"x\u00e9\ud83d\ude00"],"b":{"c":null,"d":true}}"#.utf8)
        _ = try JSONValue(parsing: text)
        for end in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text[..<end])) }
        }
    }

    @Test("a text of 15 MB parses in a time that is linear in its length")
    func speed() throws {
        let members = (0..<600_000).map { "\"Ġtoken\($0)\": \($0)" }
        let text = Array("{\"vocab\": {\(members.joined(separator: ",\n"))}}".utf8)
        try #require(text.count > 13_000_000)
        var value: JSONValue?
        let elapsed = try ContinuousClock().measure { value = try JSONValue(parsing: text) }
        #expect(value?["vocab"]?["Ġtoken599999"]?.integer == 599_999)
        // A fifth of a second on an idle machine; a quadratic parser would take minutes.
        #expect(elapsed < .seconds(20))
    }
}
