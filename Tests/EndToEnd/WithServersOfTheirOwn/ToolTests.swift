// Tools of OpenAI's API: with a model that runs here, and with an engine on another machine whose answers
// a test writes.

import ChatProtocol
import Doubles
import FoundationEssentials
import HTTPProtocol
import JSONText
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Tools")
    struct Tools {
        private static let tools = #"""
            "tools":[{"type":"function","function":{"name":"weather","description":"Tells it.",
            "parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]
            """#
        private static let user = #"{"role":"user","content":"How warm is it in Riga?"}"#
        private static let history = #"""
            {"role":"system","content":"You know."},\#(user),{"role":"assistant","content":null,
            "tool_calls":[{"id":"a","type":"function","function":{"name":"weather",
            "arguments":"{\"city\": \"Riga\"}"}}]},
            {"role":"tool","tool_call_id":"a","content":"21 <|end|>"}
            """#

        private struct Site {
            let server: StoaServer
            let key: HTTPHeaders

            func post(_ messages: String, _ fields: String) throws -> HTTPAnswer {
                var headers = key
                headers[.contentType] = "application/json"
                let body = #"{"model":"tools","messages":[\#(messages)],\#(fields)}"#
                return try HTTPCall.send(
                    .post,
                    "/v1/chat/completions",
                    port: server.port,
                    headers: headers,
                    body: Array(body.utf8)
                )
            }

            func complete(_ messages: String, _ fields: String) throws -> CompletionReply {
                let answer = try post(messages, fields)
                guard answer.status == 200 else { throw HarnessError(answer.text) }
                return try answer.decode(as: CompletionReply.self)
            }

            func stream(_ messages: String, _ fields: String) throws -> [CompletionReply] {
                let body = #"{"model":"tools","messages":[\#(messages)],"stream":true,\#(fields)}"#
                let path = "/v1/chat/completions"
                return try CompletionStreamReader(Data(body.utf8), of: path, to: server.port, key)
                    .rest().chunks
            }
        }

        private func site(_ arguments: [String]) throws -> Site {
            let server = try StoaServer(arguments + ["--titles", "off"])
            try server.addUser("ada")
            return Site(server: server, key: try server.key([.complete], of: server.signIn("ada")))
        }

        @Test("a model is told of functions, calls and results in its own form, and must call")
        func embedded() throws {
            let folder = try TemporaryFolder()
            let model = ["--model", try ToolModel.make(in: folder.path, as: "tools")]
            let site = try site(model)
            let fields = #"\#(Self.tools),"tool_choice":"required","max_tokens":12"#
            let reply = try site.complete(Self.history, fields)
            let choice = try #require(reply.choices?.first)
            let call = try #require(choice.message?.calls?.first)
            #expect(call.function.name == "weather" && call.type == "function")

            // The prompt is what the template makes of it, and it is found again in the database.
            let answer = try #require(reply.id).replacing("chatcmpl-", with: "")
            let prompt = try site.server.command(
                ["replay", answer, "--data-dir", site.server.dataDirectory] + model
            )
            #expect(
                prompt.output.split(separator: "\n").joined() == #"""
                    <|system|>You know.<|tool|>[{"name": "weather", "description": "Tells it.", \#
                    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]\#
                    <|/tool|><|end|><|user|>How warm is it in Riga?<|end|><|assistant|>\#
                    <|tool_call|>[{"name": "weather", "arguments": {"city": "Riga"}}]<|/tool_call|>\#
                    <|end|><|tool_response|>21 <|end|><|end|><|assistant|>
                    """#
            )
            #expect(prompt.end == .exited(0), "\(prompt.errors)")

            // A stream has the same call with the same id.
            let chunks = try site.stream(Self.history, fields)
            let calls = chunks.compactMap { $0.choices?.first?.delta?.calls?.first }
            #expect(calls.first?.function.name == "weather" && calls.first?.index == 0)
            let arguments = calls.compactMap(\.function.arguments).joined()
            #expect(arguments == call.function.arguments)
            withExtendedLifetime(folder) {}
        }

        // A model that was not trained on calls writes until the limit, where the form closes them.
        @Test("a required call has a function's name, and strict arguments have their schema")
        func form() throws {
            let folder = try TemporaryFolder()
            let site = try site(["--model", try ToolModel.make(in: folder.path, as: "tools")])
            let functions = ["paint", "wash"].map { name in
                #"""
                {"type":"function","function":{"name":"\#(name)","strict":true,"parameters":{
                "type":"object","properties":{"hue":{"enum":["red","blue"]},"layers":{"type":"integer"}},
                "required":["hue","layers"],"additionalProperties":false}}}
                """#
            }
            let tools = #""tools":[\#(functions.joined(separator: ","))],"tool_choice":"required""#
            for seed in 1...6 {
                let fields =
                    #"\#(tools),"parallel_tool_calls":false,"max_tokens":60,"seed":\#(seed)"#
                let choice = try #require(try site.complete(Self.user, fields).choices?.first)
                let calls = try #require(choice.message?.calls)
                #expect(calls.count == 1 && ["paint", "wash"].contains(calls[0].function.name))
                let arguments = try JSONValue(
                    parsing: Array(try #require(calls[0].function.arguments).utf8)
                )
                #expect(["red", "blue"].contains(arguments["hue"]?.string))
                #expect(arguments["layers"]?.integer != nil && arguments.object?.count == 2)
            }

            let unsupported = #"""
                {"type":"function","function":{"name":"a","strict":true,"parameters":{"type":"object",
                "not":{}}}}
                """#
            // What cannot be is refused before anything is stored.
            for (fields, name, word) in [
                (#"\#(tools),"max_tokens":5"#, "tool_choice", "raise the limit"),
                (#"\#(tools),"stop":["x"]"#, "tools", "stop string"),
                (#""tools":[\#(unsupported)]"#, "tools", "not"),
            ] {
                let answer = try site.post(Self.user, fields)
                let error = try #require(try answer.decode(as: CompletionReply.self).error)
                #expect(answer.status == 400 && error.param == name, "\(error)")
                #expect(error.message.contains(word), "\(error.message)")
            }
            withExtendedLifetime(folder) {}
        }

        @Test("what an engine writes becomes text and calls, whole and as a stream")
        func remote() throws {
            let folder = try TemporaryFolder()
            let model = try ToolModel.make(in: folder.path, as: "tools")
            let pieces = [
                "Let me ", "see. <|tool_", #"call|>[{\"name\": \"weather\", \"argum"#,
                #"ents\": {\"city\": \"R"#, #"īga\"}}, {\"name\": \"weather\"}]<|/tool_call|>"#,
            ]
            let engine = try EngineDouble { _, _ in .stream(pieces) }
            defer { engine.stop() }
            let site = try site([
                "--remote-engine", "\(engine.base) model=phi as=tools tokenizer=\(model)",
            ])
            let choice = try #require(try site.complete(Self.user, Self.tools).choices?.first)
            #expect(
                choice.message?.content == "Let me see. " && choice.finishReason == "tool_calls"
            )
            let calls = try #require(choice.message?.calls)
            #expect(calls.map(\.function.name) == ["weather", "weather"])
            #expect(calls.map(\.function.arguments) == [#"{"city": "Rīga"}"#, "{}"])
            #expect(Set(calls.compactMap(\.id)).count == 2)

            let chunks = try site.stream(Self.user, Self.tools)
            #expect(chunks.text == "Let me see. " && chunks.finishReason == "tool_calls")
            let parts = chunks.compactMap { $0.choices?.first?.delta?.calls?.first }
            #expect(parts.compactMap(\.function.name) == ["weather", "weather"])
            let first = parts.filter { $0.index == 0 }.compactMap(\.function.arguments).joined()
            #expect(first == #"{"city": "Rīga"}"#)

            // Only the first call, if the request wants no more; text as it is without functions.
            let alone = #"\#(Self.tools),"parallel_tool_calls":false"#
            let single = try site.complete(Self.user, alone)
            #expect(single.choices?.first?.message?.calls?.count == 1)
            let none = try site.complete(Self.user, #"\#(Self.tools),"tool_choice":"none""#)
            #expect(none.choices?.first?.message?.calls == nil)
            #expect(none.text?.contains("<|tool_call|>") == true)
            withExtendedLifetime(folder) {}
        }

        @Test("a model whose template knows no tools refuses them by name")
        func refusals() throws {
            let engine = try EngineDouble { _, _ in .stream(["Hi."]) }
            defer { engine.stop() }
            let folder = try TemporaryFolder()
            let demo = try TheModels.copyDemo(to: "\(folder.path)/demo")
            let site = try site([
                "--remote-engine", "\(engine.base) model=phi as=tools tokenizer=\(demo)",
            ])
            for (messages, fields, name) in [
                (Self.user, Self.tools, "tools"), (Self.history, #""seed":1"#, "messages"),
            ] {
                let answer = try site.post(messages, fields)
                let error = try #require(try answer.decode(as: CompletionReply.self).error)
                #expect(answer.status == 400 && error.param == name)
                #expect(error.code == "unsupported_parameter")
            }
            withExtendedLifetime(folder) {}
        }
    }
}
