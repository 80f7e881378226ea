import Testing
import ToolCalls

/// What a whole answer has.
private struct Parsed: Equatable {
    var text = ""
    var calls: [String] = []

    init(_ text: String, _ calls: [String] = []) { (self.text, self.calls) = (text, calls) }

    init(_ answer: String, inPiecesOf count: Int, callsMax: Int = 128) {
        var parser = ToolCallParser(
            ToolCallParser.Marks(opening: "<|tool_call|>", closing: "<|/tool_call|>"),
            functions: ["now", "weather"],
            callsMax: callsMax
        )
        var rest = answer[...]
        while !rest.isEmpty {
            for event in parser.append(String(rest.prefix(count))) { take(event) }
            rest = rest.dropFirst(count)
        }
        for event in parser.finish() { take(event) }
    }

    private mutating func take(_ event: ToolCallParser.Event) {
        switch event {
        case .text(let more): text += more
        case .call(let index, let name):
            #expect(index == calls.count)
            calls.append("\(name) ")
        case .arguments(let index, let more): calls[index] += more
        }
    }
}

@Suite("Calls of tools in an answer")
struct ToolCallParserTests {
    private static let call = #"{"name": "weather", "arguments": {"city": "Rīga", "days": [1, 2]}}"#
    private static let parsed = #"weather {"city": "Rīga", "days": [1, 2]}"#

    private static let answers: [(answer: String, expected: (text: String, calls: [String]))] = [
        // The model's own form.
        ("<|tool_call|>[\(call)]<|/tool_call|>", ("", [parsed])),
        ("\n <|tool_call|> [ \(call) ] <|/tool_call|>\n", ("", [parsed])),
        ("<|tool_call|>[\(call), {\"name\":\"now\"}]<|/tool_call|>", ("", [parsed, "now {}"])),
        ("<|tool_call|>\(call)<|/tool_call|>", ("", [parsed])),
        ("<|tool_call|>[\(call)]", ("", [parsed])),
        ("Let me see. <|tool_call|>[\(call)]<|/tool_call|>", ("Let me see. ", [parsed])),
        (
            "<|tool_call|>\(call)<|/tool_call|><|tool_call|>\(call)<|/tool_call|> Done.",
            (" Done.", [parsed, parsed])
        ),
        // Names that no function has are calls too, since the model means them so.
        (#"<|tool_call|>[{"name": "fly", "arguments": {}}]<|/tool_call|>"#, ("", ["fly {}"])),
        // Other forms of an object.
        (#"<|tool_call|>[{"arguments": {"a": 1}, "name": "now"}]"#, ("", [#"now {"a": 1}"#])),
        (#"<|tool_call|>[{"name": "now", "parameters": {"a": 1}}]"#, ("", [#"now {"a": 1}"#])),
        (
            #"<|tool_call|>[{"type": "function", "id": "x", "function": {"name": "now", "arguments": "{\"a\": \"é\"}"}}]"#,
            ("", [#"now {"a": "é"}"#])
        ),
        (#"<|tool_call|>[{"function": "now", "arguments": null}]"#, ("", ["now {}"])),
        (
            #"<|tool_call|>[{"name": "n\u00e9\"", "arguments": {"a": "]}\"\\"}, "more": [{}, 1.5]}]"#,
            ("", [#"né" {"a": "]}\"\\"}"#])
        ),
        // Without the special token.
        ("functools[\(call)]", ("", [parsed])),
        ("functools[\(call)] Done.", (" Done.", [parsed])),
        ("[\(call)]", ("", [parsed])),
        (" \(call)", ("", [parsed])),
        // Cut at the maximum length.
        (#"<|tool_call|>[{"name": "weather", "arguments": {"ci"#, ("", [#"weather {"ci"#])),
        (#"<|tool_call|>[{"name": "wea"#, (#"<|tool_call|>[{"name": "wea"#, [])),
        (#"<|tool_call|>[{"name": "weather", "#, ("", ["weather "])),
        // Text.
        ("", ("", [])),
        (" \n", (" \n", [])),
        ("It is 21 °C.", ("It is 21 °C.", [])),
        ("functools are nice", ("functools are nice", [])),
        ("func", ("func", [])),
        ("a <|tool_ca", ("a <|tool_ca", [])),
        ("a <|tool_card|>", ("a <|tool_card|>", [])),
        (#"{"temperature": 21}"#, (#"{"temperature": 21}"#, [])),
        (#"[{"name": "fly", "arguments": {}}]"#, (#"[{"name": "fly", "arguments": {}}]"#, [])),
        ("[1, 2]", ("[1, 2]", [])),
        ("[]", ("[]", [])),
        ("Then: [\(call)]", ("Then: [\(call)]", [])),
        // What says that it is calls, and is none.
        ("<|tool_call|>none<|/tool_call|>", ("<|tool_call|>none<|/tool_call|>", [])),
        ("<|tool_call|>[]<|/tool_call|>", ("<|tool_call|>[]<|/tool_call|>", [])),
        ("<|tool_call|>[{}]<|/tool_call|>", ("<|tool_call|>[{}]<|/tool_call|>", [])),
        ("functools[1]", ("functools[1]", [])),
        (
            "<|tool_call|>[\(call), oh no",
            ("oh no", [parsed])
        ),
    ]

    @Test("are found in every form, however the text is split", arguments: 0..<answers.count)
    func forms(number: Int) {
        let (answer, expected) = Self.answers[number]
        let parsed = Parsed(expected.text, expected.calls)
        for count in [1, 2, 3, 5, 7, 1000] {
            #expect(Parsed(answer, inPiecesOf: count) == parsed, "\(answer) in pieces of \(count)")
        }
    }

    @Test("pass their arguments on as they are written")
    func streaming() {
        var parser = ToolCallParser(
            ToolCallParser.Marks(opening: "<|tool_call|>", closing: "<|/tool_call|>"),
            functions: []
        )
        #expect(parser.append("Yes. <|tool_call|>[{\"na") == [.text("Yes. ")])
        #expect(parser.append("me\": \"weather\", \"arguments\": ") == [.call(0, name: "weather")])
        #expect(parser.append("{\"city\": \"Rī") == [.arguments(0, "{\"city\": \"Rī")])
        #expect(parser.append("ga\"}}]<|/tool") == [.arguments(0, "ga\"}")])
        #expect(parser.append("_call|>").isEmpty && parser.finish().isEmpty && parser.hasCalls)
    }

    @Test("beyond the maximum are left out")
    func tooMany() {
        let answer = "<|tool_call|>[\(Self.call), \(Self.call)]<|/tool_call|>"
        #expect(Parsed(answer, inPiecesOf: 4, callsMax: 1) == Parsed("", [Self.parsed]))
    }

    @Test("with names and depths beyond all reason are text")
    func bounds() {
        let long = String(repeating: "n", count: 300)
        let deep = String(repeating: "[", count: 100)
        for object in [#"{"name": "\#(long)"}"#, #"{"\#(long)": 1}"#, #"{"x": \#(deep)"#] {
            let answer = "<|tool_call|>[\(object)"
            #expect(Parsed(answer, inPiecesOf: 9) == Parsed(answer))
        }
    }
}
