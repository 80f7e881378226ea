// Functions, calls and results of responses.

import ChatCore
import ChatProtocol
import OpenAIProtocol
import Testing

@Suite("A response with tools")
struct ResponseToolTests {
    private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"
    private static let callID = "call_01890a5dac96774bbcceb302099a8057_0_"
    private static let previous = #""previous_response_id":"resp_\#(id)""#
    private static let weather = #"""
        {"type":"function","name":"weather","parameters":{"type":"object"},"strict":true}
        """#

    private func read(_ input: String, _ fields: String) throws(APIError) -> ResponseRequest {
        try ResponseRequest(
            reading: Array(#"{"model":"m","input":\#(input),\#(fields)}"#.utf8)
        )
    }

    private func call(_ id: String) -> String {
        #"""
        {"type":"function_call","id":"fc","call_id":"\#(id)","name":"f","status":"completed",
        "arguments":"{\"a\": 1}"}
        """#
    }

    private func result(_ id: String, _ text: String) -> String {
        #"{"type":"function_call_output","call_id":"\#(id)","output":"\#(text)"}"#
    }

    private func text(_ ids: Int) -> String {
        let calls = (0..<ids).map { _ in #"{"name": "f", "arguments": {"a": 1}}"# }
        return "<|tool_call|>[\(calls.joined(separator: ", "))]<|/tool_call|>"
    }

    @Test("tells the model of functions, whose members stand beside their type")
    func functions() throws {
        let request = try read(
            #""Hi""#,
            #""tools":[\#(Self.weather)],"tool_choice":{"type":"function","name":"weather"},"#
                + #""parallel_tool_calls":false"#
        )
        let tools = try #require(request.completion.options.tools)
        #expect(tools.functions.map(\.name) == ["weather"] && tools.hasStrictFunctions)
        #expect(tools.choice == .function("weather") && !tools.isParallel)
        #expect(request.completion.question == "<|user|>Hi")
    }

    @Test(
        "has calls and results as items of their own: calls that follow each other are one answer"
    )
    func items() throws {
        let messages = [
            #"{"role":"user","content":"Hi"}"#, #"{"role":"assistant","content":"Let me see."}"#,
            call("a"), call("b"), result("b", "2"), result("a", ""), call("c"), result("c", "3"),
        ]
        let completion = try read("[\(messages.joined(separator: ","))]", #""stream":true"#)
            .completion
        #expect(completion.options.tools == ToolUse(functions: []))
        #expect(
            completion.history.map(\.text) == [
                "<|user|>Hi", "Let me see.\(text(2))", "<|tool_response|>", "<|tool_response|>2",
                text(1),
            ]
        )
        #expect(completion.question == "<|tool_response|>3")
    }

    @Test("continues calls with their results, in the order of the calls")
    func continued() throws {
        let request = try read("[\(result("b", "2")),\(result("a", "1"))]", Self.previous)
        #expect(request.hasResults)
        let alone = try request.completion(after: ["a", "b"], ToolUse(functions: []))
        #expect(alone.history.map(\.text) == ["<|tool_response|>1"])
        #expect(alone.question == "<|tool_response|>2")

        let more = try read(
            #"[\#(result("a", "1")),{"role":"user","content":"Go on."}]"#,
            Self.previous
        )
        let completion = try more.completion(after: ["a"], ToolUse(functions: []))
        #expect(completion.history.map(\.text) == ["<|tool_response|>1"])
        #expect(completion.question == "<|user|>Go on.")
        for calls in [["a", "c"], ["c"], []] {
            #expect(throws: APIError.self) { try more.completion(after: calls, nil) }
        }
    }

    @Test("has texts with marks, if it continues an answer whose conversation has them")
    func marks() throws {
        let request = try read(#""Go on.""#, Self.previous)
        let completion = try request.completion(after: [], ToolUse(functions: []))
        #expect(completion.question == "<|user|>Go on.")
        #expect(completion.options.tools == ToolUse(functions: []))
        #expect(try request.completion(after: [], nil).question == "Go on.")
    }

    @Test("is refused by the name of what is wrong")
    func wrong() throws {
        let user = #"{"role":"user","content":"Hi"}"#
        for (input, fields, place) in [
            ("[\(user),\(call("a"))]", #""store":true"#, "input[1].type"),
            ("[\(user),\(call("a")),\(user)]", #""store":true"#, "input[2].role"),
            (
                "[\(user),\(call("a")),\(call("b")),\(result("a", "")),\(call("c"))]",
                #""store":true"#, "input[4].type"
            ),
            ("[\(result("a", "1"))]", #""store":true"#, "input[0].call_id"),
            ("[\(result("a", "1")),\(result("a", "1"))]", Self.previous, "input[1].call_id"),
            (#""Hi""#, #""tools":[{"type":"web_search"}]"#, "tools[0].type"),
            (#""Hi""#, #""tool_choice":"required""#, "tool_choice"),
            (
                #""Hi""#,
                #""tools":[\#(Self.weather)],"text":{"format":{"type":"json_object"}}"#,
                "text.format"
            ),
            (
                #""Hi""#,
                #""tools":[\#(Self.weather)],"include":["message.output_text.logprobs"]"#,
                "include"
            ),
        ] {
            let error = try #require(throws: APIError.self) { _ = try read(input, fields) }
            #expect(error.status == 400 && error.parameter == place, "\(error)")
        }
    }

    private func writer(isParallel: Bool = true) throws -> ResponseWriter {
        ResponseWriter(
            ResponseObject.Head(
                answer: try #require(MessageID(Self.id)),
                created: 17,
                model: "phi",
                instructions: nil,
                previous: nil,
                settings: GenerationSettings(),
                tools: ToolUse(
                    functions: [ToolUse.Function(name: "f")],
                    choice: .function("f"),
                    isParallel: isParallel
                ),
                isStored: true
            )
        )
    }

    private func item(_ number: Int, _ status: String, _ arguments: String) -> String {
        """
        {"id":"fc_\(Self.id)_\(number)","type":"function_call","status":"\(status)",\
        "call_id":"\(Self.callID)\(number)","name":"f","arguments":"\(arguments)"}
        """
    }

    @Test("has calls after its text, whole and in events that end each item before the next begins")
    func calls() throws {
        let answer = "Well. \(text(2))"
        let whole = String(
            decoding: try writer().whole([WholeAnswer(AnswerPiece(answer), .stop)], nil),
            as: UTF8.self
        )
        let arguments = #"{\"a\": 1}"#
        #expect(whole.contains(#""text":"Well. ""#) && whole.contains(#""status":"completed""#))
        #expect(
            whole.contains("\(item(0, "completed", arguments)),\(item(1, "completed", arguments))")
        )
        #expect(whole.contains(#""tool_choice":{"type":"function","name":"f"}"#))

        // However the text is split.
        for size in [1, 7, answer.count] {
            var writer = try writer()
            var bytes = writer.begin()
            var rest = Substring(answer)
            while !rest.isEmpty {
                bytes += writer.more(AnswerPiece(String(rest.prefix(size))), of: 0)
                rest = rest.dropFirst(size)
            }
            bytes += writer.end(.stop, of: 0) + writer.finish(nil)
            let frames = String(decoding: bytes, as: UTF8.self).split(separator: "\n\n")
            let types = frames.map { $0.prefix { $0 != "\n" }.dropFirst("event: response.".count) }
            let call = [
                "output_item.added", "function_call_arguments.done", "output_item.done",
            ]
            #expect(
                types.filter { !$0.hasSuffix("delta") }.map(String.init) == [
                    "created", "in_progress", "output_item.added", "content_part.added",
                    "output_text.done", "content_part.done", "output_item.done",
                ] + call + call + ["completed"]
            )
            let all = frames.joined()
            #expect(all.contains(item(0, "in_progress", "")))
            #expect(all.contains(item(1, "completed", arguments)))
            #expect(all.contains(#""output_index":2,"item_id":"fc_\#(Self.id)_1""#))
        }
    }

    @Test("that is cut in a call has an incomplete one")
    func cut() throws {
        let answer = WholeAnswer(AnswerPiece(String(text(2).dropLast(20))), .length)
        let whole = String(decoding: try writer().whole([answer], nil), as: UTF8.self)
        #expect(whole.contains(item(1, "incomplete", #"{\"a\""#)), "\(whole)")
        #expect(whole.contains(#""status":"completed","call_id":"\#(Self.callID)0""#))
    }
}
