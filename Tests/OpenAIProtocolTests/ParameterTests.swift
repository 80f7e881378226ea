// All parameters of OpenAI's API, as its own Python client names them: each is read, or refused by
// its name.

import OpenAIProtocol
import Testing

@Suite("A parameter of OpenAI's API")
struct ParameterTests {
    /// Parameters of a chat completion with a value that asks for something; the first are read.
    private static let chatFields = [
        #""frequency_penalty":1"#, #""logit_bias":{"50":5}"#, #""logprobs":true"#,
        #""logprobs":true,"top_logprobs":3"#, #""max_completion_tokens":5"#, #""max_tokens":5"#,
        #""n":2"#, #""presence_penalty":-1"#, #""response_format":{"type":"json_object"}"#,
        #""response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{}}}"#,
        #""seed":1"#, #""stop":"a""#,
        #""store":true"#, #""stream":true"#, #""temperature":1"#, #""top_p":0.5"#,
        #""max_thinking_tokens":0"#, #""reasoning_effort":"none""#, #""reasoning_effort":"low""#,
        #""tool_choice":"required",\#(tools)"#, #""parallel_tool_calls":false,\#(tools)"#, tools,
        #""user":"u""#,
    ]
    private static let tools = #""tools":[{"type":"function","function":{"name":"f"}}]"#
    private static let refusedChatFields = [
        #""audio":{"voice":"alloy"}"#, #""function_call":"auto""#,
        #""functions":[{"name":"f"}]"#,
        #""metadata":{"a":"b"}"#, #""modalities":["audio"]"#, #""moderation":{"model":"m"}"#,
        #""prediction":{"type":"content"}"#,
        #""prompt_cache_key":"k""#, #""prompt_cache_options":{}"#,
        #""prompt_cache_retention":"24h""#,
        #""safety_identifier":"s""#, #""service_tier":"flex""#,
        #""verbosity":"low""#, #""web_search_options":{}"#,
    ]
    private static let responseFields = [
        #""include":["message.output_text.logprobs"]"#,
        #""include":["message.output_text.logprobs"],"top_logprobs":3"#,
        #""max_thinking_tokens":5"#, #""reasoning":{"effort":"low"}"#,
        #""instructions":"a""#, #""max_output_tokens":5"#, #""store":false"#, #""stream":true"#,
        #""temperature":1"#, #""text":{"format":{"type":"json_object"}}"#,
        #""text":{"format":{"type":"json_schema","name":"a","schema":{}}}"#, #""top_p":0.5"#,
        #""tools":[{"type":"function","name":"f"}]"#,
        #""tools":[{"type":"function","name":"f"}],"tool_choice":"required""#,
        #""tools":[{"type":"function","name":"f"}],"parallel_tool_calls":false"#,
        #""user":"u""#,
    ]
    private static let refusedResponseFields = [
        #""access_programs":{}"#, #""background":true"#, #""background_options":{}"#,
        #""context_management":[{}]"#, #""conversation":"conv_1""#, #""image":{}"#,
        #""include":["reasoning.encrypted_content"]"#, #""max_tool_calls":1"#,
        #""metadata":{"a":"b"}"#, #""moderation":{"model":"m"}"#,
        #""prompt":{"id":"p"}"#, #""prompt_cache_key":"k""#,
        #""prompt_cache_options":{}"#, #""prompt_cache_retention":"24h""#,
        #""safety_identifier":"s""#, #""service_tier":"flex""#,
        #""stream_options":{"include_obfuscation":true}"#,
        #""truncation":"auto""#,
    ]

    private static let textFields = [
        #""echo":true"#, #""frequency_penalty":1"#, #""logit_bias":{"50":5}"#, #""logprobs":0"#,
        #""max_tokens":5"#, #""n":2"#, #""presence_penalty":1"#, #""seed":1"#, #""stop":"a""#,
        #""stream":true"#, #""stream":true,"stream_options":{"include_usage":true}"#,
        #""temperature":1"#, #""top_p":0.5"#, #""user":"u""#,
    ]
    private static let refusedTextFields = [#""best_of":2"#, #""suffix":"a""#]

    private func readText(_ field: String) throws(APIError) -> TextCompletionRequest {
        try TextCompletionRequest(reading: Array(#"{"model":"m","prompt":"Hi",\#(field)}"#.utf8))
    }

    private func readChat(_ field: String) throws(APIError) -> ChatCompletionRequest {
        let text = #"{"model":"m","messages":[{"role":"user","content":"Hi"}],\#(field)}"#
        return try ChatCompletionRequest(reading: Array(text.utf8))
    }

    private func readResponse(_ field: String) throws(APIError) -> ResponseRequest {
        try ResponseRequest(reading: Array(#"{"model":"m","input":"Hi",\#(field)}"#.utf8))
    }

    /// The name of a field.
    private func name(_ field: String) -> String { String(field.split(separator: "\"")[0]) }

    private func expect(_ error: APIError, for field: String) {
        #expect(error.status == 400 && error.code == "unsupported_parameter", "\(error)")
        #expect(error.parameter == name(field) && error.message.contains(name(field)))
    }

    @Test("of a chat completion that is supported changes what is asked for", arguments: chatFields)
    func supportedChat(field: String) throws {
        #expect(try readChat(field) != readChat(#""n":1"#))
    }

    @Test("of a chat completion that is not supported is refused", arguments: refusedChatFields)
    func unsupportedChat(field: String) throws {
        expect(try #require(throws: APIError.self) { _ = try readChat(field) }, for: field)
        // Null asks for nothing.
        #expect(try readChat("\"\(name(field))\":null") == readChat(#""n":1"#))
    }

    @Test("of a text completion that is supported changes what is asked for", arguments: textFields)
    func supportedText(field: String) throws {
        #expect(try readText(field) != readText(#""n":1"#))
    }

    @Test("of a text completion that is not supported is refused", arguments: refusedTextFields)
    func unsupportedText(field: String) throws {
        expect(try #require(throws: APIError.self) { _ = try readText(field) }, for: field)
        #expect(try readText("\"\(name(field))\":null") == readText(#""n":1"#))
    }

    @Test("of a response that is supported changes what is asked for", arguments: responseFields)
    func supportedResponse(field: String) throws {
        #expect(try readResponse(field) != readResponse(#""tools":[]"#))
    }

    @Test("of a response that is not supported is refused", arguments: refusedResponseFields)
    func unsupportedResponse(field: String) throws {
        expect(try #require(throws: APIError.self) { _ = try readResponse(field) }, for: field)
        #expect(try readResponse("\"\(name(field))\":null") == readResponse(#""tools":[]"#))
    }
}
