// Tools of responses: with a model that runs here, and with an engine on another machine whose answers a
// test writes.

import ChatProtocol
import Doubles
import FoundationEssentials
import HTTPProtocol
import JSONText
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Tools of responses")
    struct ResponseTools {
        private static let tools = #"""
            "tools":[{"type":"function","name":"weather","description":"Tells it.","strict":true,
            "parameters":{"type":"object","properties":{"warm":{"type":"boolean"}},
            "required":["warm"],"additionalProperties":false}}]
            """#
        private static let path = "/v1/responses"

        private struct Site {
            let server: StoaServer
            let key: HTTPHeaders

            init(_ arguments: [String]) throws {
                server = try StoaServer(arguments + ["--titles", "off"])
                try server.addUser("ada")
                key = try server.key([.complete], of: server.signIn("ada"))
            }

            func send(_ fields: String) throws -> (status: UInt16, body: JSONValue) {
                var headers = key
                headers[.contentType] = "application/json"
                let body = Array(#"{"model":"tools","temperature":0,\#(fields)}"#.utf8)
                let answer = try HTTPCall.send(
                    .post,
                    ResponseTools.path,
                    port: server.port,
                    headers: headers,
                    body: body
                )
                return (UInt16(answer.status), try JSONValue(parsing: Array(answer.text.utf8)))
            }

            func respond(_ fields: String) throws -> JSONValue {
                let (status, body) = try send(fields)
                guard status == 200 else { throw HarnessError("\(body)") }
                return body
            }

            func prompt(of response: JSONValue, _ arguments: [String]) throws -> String {
                let answer = try #require(response["id"]?.string).dropFirst("resp_".count)
                let replay = try server.command(
                    ["replay", String(answer), "--data-dir", server.dataDirectory] + arguments
                )
                return replay.output.split(separator: "\n").joined()
            }
        }

        private func output(_ call: String, _ text: String) -> String {
            #"{"type":"function_call_output","call_id":"\#(call)","output":"\#(text)"}"#
        }

        @Test("a call is continued with its result, by the response's id and by its items")
        func embedded() throws {
            let folder = try TemporaryFolder()
            let model = ["--model", try ToolModel.make(in: folder.path, as: "tools")]
            let site = try Site(model)
            let fields = #"\#(Self.tools),"parallel_tool_calls":false,"max_output_tokens":60"#
            let first = try site.respond(
                #""input":"How warm is it?","tool_choice":"required",\#(fields)"#
            )
            let item = try #require(first["output"]?.array?.first)
            #expect(item["type"]?.string == "function_call" && item["name"]?.string == "weather")
            let arguments = try #require(item["arguments"]?.string)
            #expect(try JSONValue(parsing: Array(arguments.utf8))["warm"]?.bool != nil)
            let (id, call) = try (
                #require(first["id"]?.string), #require(item["call_id"]?.string)
            )

            // The response is the same when it is read again.
            let again = try HTTPCall.send(
                .get,
                "\(Self.path)/\(id)",
                port: site.server.port,
                headers: site.key
            )
            let read = try JSONValue(parsing: Array(again.text.utf8))
            #expect(read["output"] == first["output"] && read["tools"] == first["tools"])
            #expect(read["tool_choice"] == first["tool_choice"])

            let result = output(call, "21 <|end|>")
            let ending = "<|tool_response|>21 <|end|><|end|><|assistant|>"
            let second = try site.respond(
                #""input":[\#(result)],"previous_response_id":"\#(id)",\#(fields)"#
            )
            let prompt = try site.prompt(of: second, model)
            #expect(prompt.contains(#"<|/tool|><|end|><|user|>How warm is it?<|end|>"#))
            #expect(prompt.contains(#"<|tool_call|>[{"name": "weather", "arguments":"#))
            #expect(prompt.hasSuffix("<|/tool_call|><|end|>\(ending)"), "\(prompt)")

            // Without the id, from the items; and without tools, of which the model is not told then.
            let written = String(decoding: WireEncoding.text(item), as: UTF8.self)
            let items =
                #"{"role":"user","content":"How warm is it?"},\#(written),\#(result)"#
            let sent = try site.respond(#""input":[\#(items)],\#(fields)"#)
            #expect(try site.prompt(of: sent, model).hasSuffix(ending))
            let untold = try site.respond(
                #""input":[\#(result)],"previous_response_id":"\#(id)","max_output_tokens":4"#
            )
            let plain = try site.prompt(of: untold, model)
            #expect(plain.hasPrefix("<|user|>How warm") && plain.hasSuffix(ending), "\(plain)")

            for (input, place) in [
                (#""Hi""#, "input"), ("[\(output("x", "1"))]", "input[0].call_id"),
            ] {
                let (status, body) = try site.send(
                    #""input":\#(input),"previous_response_id":"\#(id)",\#(fields)"#
                )
                #expect(status == 400 && body["error"]?["param"]?.string == place, "\(body)")
            }
            withExtendedLifetime(folder) {}
        }

        @Test("what an engine writes becomes a message and calls, in events of their own")
        func remote() throws {
            let folder = try TemporaryFolder()
            let model = try ToolModel.make(in: folder.path, as: "tools")
            let pieces = [
                "Let me ", "see. <|tool_", #"call|>[{\"name\": \"weather\", \"argum"#,
                #"ents\": {\"city\": \"R"#, #"īga\"}}, {\"name\": \"weather\"}]<|/tool_call|>"#,
            ]
            let engine = try EngineDouble { _, _ in .stream(pieces) }
            defer { engine.stop() }
            let site = try Site([
                "--remote-engine", "\(engine.base) model=phi as=tools tokenizer=\(model)",
            ])
            let tools = #""tools":[{"type":"function","name":"weather"}]"#
            let body = #"{"model":"tools","input":"Hi","stream":true,\#(tools)}"#
            let stream = try CompletionStreamReader(
                Data(body.utf8),
                of: Self.path,
                to: site.server.port,
                site.key
            )
            var events: [JSONValue] = []
            while let data = try stream.next() {
                events.append(try JSONValue(parsing: Array(data.utf8)))
            }
            let types = events.compactMap { $0["type"]?.string?.dropFirst("response.".count) }
            let call = ["output_item.added", "function_call_arguments.done", "output_item.done"]
            #expect(
                types.filter { !$0.hasSuffix("delta") }.map(String.init) == [
                    "created", "in_progress", "output_item.added", "content_part.added",
                    "output_text.done", "content_part.done", "output_item.done",
                ] + call + call + ["completed"]
            )
            let arguments = events.filter { $0["output_index"]?.integer == 1 }
                .compactMap { $0["delta"]?.string }.joined()
            #expect(arguments == #"{"city": "Rīga"}"#)
            let output = try #require(events.last?["response"]?["output"]?.array)
            #expect(output.compactMap { $0["call_id"]?.string }.count == 2)

            // Results in any order.
            let calls = output.compactMap { $0["call_id"]?.string }
            let id = try #require(events.last?["response"]?["id"]?.string)
            let results = calls.reversed().map { self.output($0, "1") }.joined(separator: ",")
            let reply = try site.respond(
                #""input":[\#(results)],"previous_response_id":"\#(id)",\#(tools)"#
            )
            #expect(reply["previous_response_id"]?.string == id)
            withExtendedLifetime(folder) {}
        }
    }
}
