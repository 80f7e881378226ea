// Bodies of `POST /v1/responses`: what is read, and what is refused by name.

import ChatProtocol
import OpenAIProtocol
import Testing

@Suite("A request for a response")
struct ResponseRequestTests {
    private func read(_ text: String) throws(APIError) -> ResponseRequest {
        try ResponseRequest(reading: Array(text.utf8))
    }

    private func request(with fields: String) throws(APIError) -> ResponseRequest {
        try read(#"{"model":"m","input":"Hi",\#(fields)}"#)
    }

    private func refusal(_ text: String) throws -> APIError {
        try #require(throws: APIError.self) { _ = try read(text) }
    }

    @Test("has a question, and is stored unless it says otherwise")
    func question() throws {
        let request = try read(#"{"model":"phi","input":"Hi!"}"#)
        #expect(request.completion.model == "phi" && request.completion.question == "Hi!")
        #expect(request.completion.history.isEmpty && request.completion.system == nil)
        #expect(request.isStored && request.previous == nil)
        #expect(try !self.request(with: #""store":false"#).isStored)
    }

    @Test("has messages, as the output of an earlier response has them")
    func messages() throws {
        let request = try read(
            #"""
            {"model":"phi","instructions":"Be brief.","input":[
              {"role":"user","content":"Hello!"},
              {"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[
                {"type":"output_text","text":"Hi.","annotations":[],"logprobs":[]}]},
              {"type":"message","role":"user","content":[
                {"type":"input_text","text":"One."},{"type":"input_text","text":"Two."}]}
            ]}
            """#
        )
        #expect(request.completion.system == "Be brief.")
        #expect(request.completion.history.map(\.role) == [.user, .assistant])
        #expect(request.completion.history.map(\.text) == ["Hello!", "Hi."])
        #expect(request.completion.question == "One.\nTwo.")
    }

    @Test("has settings, and the response that it continues")
    func settings() throws {
        let id = MessageID.make()
        let request = try request(
            with: #"""
                "temperature":0.5,"top_p":1,"max_output_tokens":12,"stream":true,"user":"u",
                "previous_response_id":"\#(id.responseID)","tools":[],"tool_choice":"auto",
                "text":{"format":{"type":"text"}},"truncation":"disabled","include":[],
                "reasoning":{"effort":null},"background":false,"metadata":{},
                "parallel_tool_calls":true,"stream_options":{"include_obfuscation":false}
                """#
        )
        #expect(request.completion.settings.temperature == 0.5)
        #expect(request.completion.settings.maxTokens == 12)
        #expect(request.completion.isStreamed && request.completion.endUser == "u")
        #expect(request.previous == id)
    }

    @Test(
        "is refused by the name of what is wrong",
        arguments: [
            (#"{"model":"m"}"#, "input"), (#"{"input":"a"}"#, "model"),
            (#"{"model":"m","input":" "}"#, "input"), (#"{"model":"m","input":[]}"#, "input"),
            (#"{"model":"m","input":1}"#, "input"),
            (#"{"model":"m","input":"a","instructions":1}"#, "instructions"),
            (#"{"model":"m","input":"a","max_output_tokens":0}"#, "max_output_tokens"),
            (
                #"{"model":"m","input":"a","previous_response_id":"resp_1"}"#,
                "previous_response_id"
            ),
            (
                #"{"model":"m","input":[{"type":"function_call","name":"f"}]}"#,
                "input[0].call_id"
            ),
            (#"{"model":"m","input":[{"type":"reasoning","summary":[]}]}"#, "input[0].type"),
            (#"{"model":"m","input":"a","reasoning":{"summary":"auto"}}"#, "reasoning.summary"),
            (#"{"model":"m","input":"a","reasoning":{"effort":"much"}}"#, "reasoning.effort"),
            (
                #"{"model":"m","input":[{"role":"user","content":[{"type":"text","text":"a"}]}]}"#,
                "input[0].content[0].type"
            ),
            (
                #"{"model":"m","instructions":"a","input":[{"role":"system","content":"b"}]}"#,
                "input[0].role"
            ),
            (#"{"model":"m","input":[{"role":"assistant","content":"b"}]}"#, "input[0].role"),
        ]
    )
    func wrong(text: String, place: String) throws {
        let error = try refusal(text)
        #expect(error.status == 400 && error.parameter == place, "\(error)")
    }
}
