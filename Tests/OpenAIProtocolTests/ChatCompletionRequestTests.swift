// Bodies of `POST /v1/chat/completions`: what is read, and what is refused by name.

import ChatProtocol
import OpenAIProtocol
import Testing

@Suite("A request for a chat completion")
struct ChatCompletionRequestTests {
    private func read(_ text: String) throws(APIError) -> ChatCompletionRequest {
        try ChatCompletionRequest(reading: Array(text.utf8))
    }

    /// A request with more fields.
    private func request(with fields: String) throws(APIError) -> ChatCompletionRequest {
        try read(#"{"model":"m","messages":[{"role":"user","content":"Hi"}],\#(fields)}"#)
    }

    /// The error of a request.
    private func refusal(_ text: String) throws -> APIError {
        try #require(throws: APIError.self) { _ = try read(text) }
    }

    @Test("has a model, a system prompt, a history and a question")
    func messages() throws {
        let request = try read(
            #"""
            {"model":"phi","messages":[
              {"role":"developer","content":"Be brief."},
              {"role":"user","content":"Hello!"},
              {"role":"assistant","content":"Hi.","refusal":null,"annotations":[],"tool_calls":[]},
              {"role":"user","content":[{"type":"text","text":"One."},{"type":"text","text":"Two."}]}
            ]}
            """#
        )
        #expect(request.model == "phi")
        #expect(request.system == "Be brief.")
        #expect(request.history.map(\.role) == [.user, .assistant])
        #expect(request.history.map(\.text) == ["Hello!", "Hi."])
        #expect(request.question == "One.\nTwo.")
        #expect(!request.isStreamed && !request.includesUsage && request.store == nil)
        #expect(request.settings == GenerationSettings())
    }

    @Test("has settings, of which null counts as absent")
    func settings() throws {
        let request = try request(
            with: #"""
                "temperature":0.5,"top_p":1,"seed":7,"stop":"END","max_completion_tokens":12,
                "max_tokens":12,"stream":true,"stream_options":{"include_usage":true},
                "user":"u","store":true,"n":1,"logit_bias":null,"tools":[],"presence_penalty":0,
                "response_format":{"type":"text"}
                """#
        )
        #expect(request.settings.temperature == 0.5 && request.settings.topP == 1)
        #expect(request.settings.seed == 7 && request.settings.maxTokens == 12)
        #expect(request.settings.stop == ["END"])
        #expect(request.isStreamed && request.includesUsage && request.store == true)
        #expect(request.endUser == "u")
        #expect(try self.request(with: #""stop":["a","b"]"#).settings.stop == ["a", "b"])
        #expect(try self.request(with: #""stop":[],"seed":null"#).settings.stop == nil)
    }

    @Test(
        "is refused by the name of a field that is not supported",
        arguments: [
            (#""metadata":{"a":"b"}"#, "metadata"), (#""modalities":["audio"]"#, "modalities"),
            (#""service_tier":"flex""#, "service_tier"),
        ]
    )
    func unsupported(field: String, name: String) throws {
        let error = try #require(throws: APIError.self) { _ = try request(with: field) }
        #expect(error.status == 400 && error.kind == .invalidRequest)
        #expect(error.parameter == name && error.code == "unsupported_parameter")
    }

    @Test(
        "is refused by the name of a field that is wrong",
        arguments: [
            (#""temprature":1"#, "temprature", "unknown_parameter"),
            (#""temperature":2.5"#, "temperature", "invalid_value"),
            (#""temperature":"1""#, "temperature", "invalid_type"),
            (#""top_p":0"#, "top_p", "invalid_value"), (#""seed":-1"#, "seed", "invalid_value"),
            (#""seed":1.5"#, "seed", "invalid_type"),
            (#""max_tokens":0"#, "max_tokens", "invalid_value"),
            (#""max_tokens":1,"max_completion_tokens":2"#, "max_tokens", "invalid_value"),
            (#""stop":[1]"#, "stop", "invalid_type"), (#""stop":"""#, "stop", "invalid_value"),
            (#""stream":1"#, "stream", "invalid_type"),
            (#""stream_options":{"include_usage":true}"#, "stream_options", "invalid_value"),
            (
                #""stream":true,"stream_options":{"more":1}"#, "stream_options.more",
                "unknown_parameter"
            ),
        ]
    )
    func wrong(field: String, name: String, code: String) throws {
        let error = try #require(throws: APIError.self) { _ = try request(with: field) }
        #expect(error.parameter == name && error.code == code, "\(error)")
    }

    @Test(
        "is refused by the place of a message that is wrong",
        arguments: [
            (#"[]"#, "messages"), (#"{}"#, "messages"), (#"["a"]"#, "messages[0]"),
            (#"[{"content":"a"}]"#, "messages[0].role"),
            (#"[{"role":"poet","content":"a"}]"#, "messages[0].role"),
            (#"[{"role":"tool","content":"a"}]"#, "messages[0].tool_call_id"),
            (#"[{"role":"user"}]"#, "messages[0].content"),
            (#"[{"role":"user","content":" "}]"#, "messages[0].content"),
            (#"[{"role":"user","content":"\u0000"}]"#, "messages[0].content"),
            (#"[{"role":"user","content":"a","name":"b"}]"#, "messages[0].name"),
            (#"[{"role":"user","content":"a","colour":"b"}]"#, "messages[0].colour"),
            (
                #"[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]"#,
                "messages[0].content[0].type"
            ),
            (
                #"[{"role":"user","content":[{"type":"text"}]}]"#, "messages[0].content[0].text"
            ),
            (
                #"[{"role":"user","content":"a"},{"role":"system","content":"b"}]"#,
                "messages[1].role"
            ),
            (
                #"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#,
                "messages[1].role"
            ),
            (#"[{"role":"system","content":"b"}]"#, "messages[0].role"),
        ]
    )
    func wrongMessage(messages: String, place: String) throws {
        let error = try refusal(#"{"model":"m","messages":\#(messages)}"#)
        #expect(error.status == 400 && error.parameter == place, "\(error)")
    }

    @Test("is refused if it is not a JSON object, or names no model or messages")
    func malformed() throws {
        #expect(try refusal("{").message.hasPrefix("the body is not JSON"))
        #expect(try refusal("[]").parameter == "body")
        #expect(try refusal(#"{"messages":[]}"#).parameter == "model")
        #expect(try refusal(#"{"model":"m"}"#).parameter == "messages")
        #expect(try refusal(#"{"model":"m","model":"n"}"#).status == 400)
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(try refusal(#"{"model":\#(deep)}"#).status == 400)
        let message = #"{"role":"user","content":"a"}"#
        let many = Array(repeating: message, count: 4097).joined(separator: ",")
        #expect(try refusal(#"{"model":"m","messages":[\#(many)]}"#).parameter == "messages")
    }
}
