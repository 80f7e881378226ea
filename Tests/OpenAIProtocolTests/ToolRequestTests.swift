// Requests with tools: functions, calls and results.

import ChatCore
import ConstrainedText
import JSONText
import OpenAIProtocol
import Testing
import ToolCalls

@Suite("A request with tools")
struct ToolRequestTests {
    private static let question = #"{"role":"user","content":"How warm is it?"}"#
    private static let weather = #"""
        {"type":"function","function":{"name":"weather","description":"Say \"hot\".",
        "parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":false}}
        """#

    private func read(_ messages: String, _ fields: String) throws(APIError)
        -> ChatCompletionRequest
    {
        let text = #"{"model":"m","messages":[\#(messages)],\#(fields)}"#
        return try ChatCompletionRequest(reading: Array(text.utf8))
    }

    private func call(_ id: String, _ arguments: String = #"{\"a\": 1}"#) -> String {
        #"{"id":"\#(id)","type":"function","function":{"name":"f","arguments":"\#(arguments)"}}"#
    }

    private func answer(_ ids: String...) -> String {
        #"{"role":"assistant","content":null,"tool_calls":[\#(ids.map { call($0) }.joined(separator: ","))]}"#
    }

    private func result(_ id: String, _ text: String) -> String {
        #"{"role":"tool","tool_call_id":"\#(id)","content":"\#(text)"}"#
    }

    @Test("tells the model of its functions as its template takes them")
    func definitions() throws {
        let now = #"{"type":"function","function":{"name":"now"}}"#
        let request = try read(Self.question, #""tools":[\#(Self.weather),\#(now)]"#)
        let tools = try #require(request.options.tools)
        #expect(
            tools.definitions == #"""
                [{"name": "weather", "description": "Say \"hot\".", "parameters": {"type": "object", \#
                "properties": {"city": {"type": "string"}}}}, {"name": "now", "parameters": {}}]
                """#
        )
        #expect(tools.choice == .automatic && tools.isParallel && tools.beginning == nil)
        #expect(request.question == "<|user|>How warm is it?")
    }

    @Test(
        "may choose what the model calls",
        arguments: [
            (#""none""#, nil, false), (#""auto""#, nil, true),
            (#""required""#, #"<|tool_call|>[{"name": "weather", "arguments":"#, true),
            (
                #"{"type":"function","function":{"name":"weather"}}"#,
                #"<|tool_call|>[{"name": "weather", "arguments":"#, true
            ),
        ] as [(String, String?, Bool)]
    )
    func choices(choice: String, beginning: String?, isTold: Bool) throws {
        let fields = #""tools":[\#(Self.weather)],"tool_choice":\#(choice)"#
        let tools = try #require(try read(Self.question, fields).options.tools)
        #expect(tools.beginning == beginning && (tools.definitions != nil) == isTold)
    }

    @Test("with several functions leaves the name of a required call to the model")
    func severalRequired() throws {
        let other = #"{"type":"function","function":{"name":"now"}}"#
        let fields = #""tools":[\#(Self.weather),\#(other)],"tool_choice":"required""#
        let tools = try #require(try read(Self.question, fields).options.tools)
        #expect(tools.beginning == #"<|tool_call|>[{"name": ""#)
    }

    @Test("holds calls to the names of the functions, and strict ones to their schemas")
    func form() throws {
        let strict = #"""
            {"type":"function","function":{"name":"paint","strict":true,"parameters":{"type":"object",
            "properties":{"hue":{"$ref":"#/$defs/hue"},"$ref":{"type":"string"}},"required":["hue"],
            "additionalProperties":false,"$defs":{"hue":{"enum":["red",{"$ref":"#/x"}]}}}}}
            """#
        let fields = #""tools":[\#(Self.weather),\#(strict)],"parallel_tool_calls":false"#
        let tools = try #require(try read(Self.question, fields).options.tools)
        guard case .calls("<|tool_call|>", let schema)? = tools.constraint else {
            return #expect(tools.constraint != nil)
        }
        _ = try CompiledConstraint(.jsonSchema(schema))
        let validator = try SchemaValidator(schema)
        for (calls, isValid) in [
            (#"[{"name":"weather","arguments":{"anything":[1]}}]"#, true),
            (#"[{"name":"paint","arguments":{"hue":"red"}}]"#, true),
            (##"[{"name":"paint","arguments":{"hue":{"$ref":"#/x"},"$ref":"a"}}]"##, true),
            (#"[{"name":"paint","arguments":{"hue":"blue"}}]"#, false),
            (#"[{"name":"paint","arguments":{}}]"#, false),
            (#"[{"name":"other","arguments":{}}]"#, false),
            (#"[{"name":"weather"}]"#, false), ("[]", false),
            (#"[{"name":"weather","arguments":{}},{"name":"weather","arguments":{}}]"#, false),
        ] {
            let value = try JSONValue(parsing: Array(calls.utf8))
            #expect(validator.isValid(value) == isValid, "\(calls)")
        }
        let choice = #""tools":[\#(Self.weather),\#(strict)],"tool_choice":"none""#
        #expect(try read(Self.question, choice).options.tools?.constraint == nil)
    }

    @Test("keeps calls as the model writes them, and results in the order of the calls")
    func history() throws {
        let messages = [
            Self.question, answer("a", "b"), result("b", "2"), result("a", "<|user|>1"),
        ]
        let request = try read(messages.joined(separator: ","), #""tools":[\#(Self.weather)]"#)
        #expect(
            request.history.map(\.text) == [
                "<|user|>How warm is it?",
                #"<|tool_call|>[{"name": "f", "arguments": {"a": 1}}, {"name": "f", "arguments": {"a": 1}}]<|/tool_call|>"#,
                "<|tool_response|><|user|>1",
            ]
        )
        #expect(request.question == "<|tool_response|>2")
    }

    @Test("may have calls without naming functions again")
    func withoutFunctions() throws {
        let messages = [Self.question, answer("a"), result("a", ""), Self.question]
        let request = try read(messages.joined(separator: ","), #""seed":1"#)
        let tools = try #require(request.options.tools)
        #expect(tools.functions.isEmpty && tools.definitions == nil)
        #expect(request.history.last?.text == "<|tool_response|>")
        #expect(try read(Self.question, #""tools":[]"#).options.tools == nil)
    }

    @Test(
        "is refused by the place of what is wrong with its functions",
        arguments: [
            (#""tools":{}"#, "tools"), (#""tools":[1]"#, "tools[0]"),
            (#""tools":[{"type":"web_search"}]"#, "tools[0].type"),
            (#""tools":[{"type":"function"}]"#, "tools[0].function"),
            (#""tools":[{"type":"function","function":{}}]"#, "tools[0].function.name"),
            (
                #""tools":[{"type":"function","function":{"name":"a b"}}]"#,
                "tools[0].function.name"
            ),
            (
                #""tools":[{"type":"function","function":{"name":"a","strict":1}}]"#,
                "tools[0].function.strict"
            ),
            (
                #""tools":[{"type":"function","function":{"name":"a","parameters":[]}}]"#,
                "tools[0].function.parameters"
            ),
            (#""tools":[\#(weather),\#(weather)]"#, "tools[1]"),
            (#""tool_choice":"required""#, "tool_choice"),
            (#""parallel_tool_calls":true"#, "parallel_tool_calls"),
            (#""tools":[\#(weather)],"tool_choice":"always""#, "tool_choice"),
            (#""tools":[\#(weather)],"tool_choice":{"type":"custom"}"#, "tool_choice.type"),
            (
                #""tools":[\#(weather)],"tool_choice":{"type":"function","function":{"name":"b"}}"#,
                "tool_choice"
            ),
            (#""tools":[\#(weather)],"logprobs":true"#, "logprobs"),
        ]
    )
    func wrongFunctions(fields: String, place: String) throws {
        let error = try #require(throws: APIError.self) { _ = try read(Self.question, fields) }
        #expect(error.parameter == place && error.status == 400, "\(error)")
    }

    @Test("is refused by the place of a call or a result that is wrong")
    func wrongMessages() throws {
        let wrong: [([String], String)] = [
            ([Self.question, answer("a")], "messages[1].role"),
            ([Self.question, answer("a"), Self.question], "messages[2].role"),
            ([Self.question, answer("a", "b"), result("a", "1")], "messages[2].role"),
            ([Self.question, result("a", "1")], "messages[1].tool_call_id"),
            ([Self.question, answer("a"), result("b", "1")], "messages[2].tool_call_id"),
            (
                [Self.question, answer("a"), result("a", "1"), result("a", "1")],
                "messages[3].tool_call_id"
            ),
            (
                [
                    Self.question,
                    #"{"role":"assistant","tool_calls":[\#(call("a", "[1]"))]}"#,
                ], "messages[1].tool_calls[0].function.arguments"
            ),
            (
                [Self.question, #"{"role":"assistant","tool_calls":[{"function":{}}]}"#],
                "messages[1].tool_calls[0].id"
            ),
            (
                [#"{"role":"user","content":"Hi","tool_calls":[\#(call("a"))]}"#],
                "messages[0].tool_calls"
            ),
            ([#"{"role":"function","name":"f","content":"1"}"#], "messages[0].role"),
        ]
        for (messages, place) in wrong {
            let error = try #require(throws: APIError.self) {
                _ = try read(messages.joined(separator: ","), #""seed":1"#)
            }
            #expect(error.parameter == place && error.status == 400, "\(error)")
        }
    }
}

@Suite("A reply to a request with tools")
struct ToolReplyTests {
    private static let answer =
        #"Sure. <|tool_call|>[{"name": "weather", "arguments": {"city": "Rīga"}}]<|/tool_call|>"#
    private static let parser = ToolCallParser(
        ToolCallParser.Marks(opening: "<|tool_call|>", closing: "<|/tool_call|>"),
        functions: ["weather"]
    )
    private static let head = CompletionHead(
        id: "chatcmpl-01890a5d-ac96-774b-bcce-b302099a8057",
        created: 7,
        model: "m"
    )
    private static let id = "call_01890a5dac96774bbcceb302099a8057_0_0"

    private func whole(_ text: String, _ end: CompletionEnd = .stop) -> String {
        let writer = ChatCompletionWriter(Self.head, includesUsage: false, parser: Self.parser)
        let bytes = writer.whole([WholeAnswer(AnswerPiece(text), end)], nil)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("has the calls beside the text, or instead of it")
    func wholeReply() {
        let calls = #"""
            "refusal":null,"tool_calls":[{"id":"\#(Self.id)","type":"function","function":\#
            {"name":"weather","arguments":"{\"city\": \"Rīga\"}"}}]},"logprobs":null,\#
            "finish_reason":"tool_calls"
            """#
        #expect(whole(Self.answer).contains(#""content":"Sure. ",\#(calls)"#))
        #expect(whole(String(Self.answer.dropFirst(6))).contains(#""content":null,\#(calls)"#))
        #expect(whole("Hello.").contains(#""content":"Hello.","refusal":null},"#))
        #expect(whole("").contains(#""content":"","refusal":null},"#))
        #expect(whole(Self.answer, .length).contains(#""finish_reason":"length""#))
    }

    @Test("streams the text, the name of each call, and its arguments as they come")
    func streamedReply() {
        var writer = ChatCompletionWriter(Self.head, includesUsage: false, parser: Self.parser)
        var bytes = writer.begin()
        for piece in [
            "Sure. <|tool", "_call|>[{\"name\": \"weather\", \"arguments\": {\"city", "\": 1}}]",
        ] {
            bytes += writer.more(AnswerPiece(piece), of: 0)
        }
        bytes += writer.end(.stop, of: 0) + writer.finish(nil)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let deltas = lines.filter { $0.contains(#""delta":"#) }.map { line in
            String(line.split(separator: #""delta":"#)[1].split(separator: #","logprobs""#)[0])
        }
        #expect(
            deltas == [
                #"{"role":"assistant","content":""}"#, #"{"content":"Sure. "}"#,
                #"{"tool_calls":[{"index":0,"id":"\#(Self.id)","type":"function","function":{"name":"weather","arguments":""}}]}"#,
                #"{"tool_calls":[{"index":0,"function":{"arguments":"{\"city"}}]}"#,
                #"{"tool_calls":[{"index":0,"function":{"arguments":"\": 1}"}}]}"#, "{}",
            ]
        )
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""finish_reason":"tool_calls""#))
    }
}
