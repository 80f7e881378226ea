// Penalties and biases: how they are read, and how they are stored.

import ChatCore
import ChatProtocol
import FoundationEssentials
import OpenAIProtocol
import Testing

@Suite("An option of a completion")
struct CompletionOptionTests {
    private func read(_ fields: String) throws(APIError) -> CompletionOptions {
        let text = #"{"model":"m","messages":[{"role":"user","content":"Hi"}],\#(fields)}"#
        return try ChatCompletionRequest(reading: Array(text.utf8)).options
    }

    @Test("is read, tokens in their order")
    func reads() throws {
        let options = try read(
            #""presence_penalty":-2,"frequency_penalty":0.5,"logit_bias":{"70":-100,"5":1.5}"#
        )
        #expect(options.presencePenalty == -2 && options.frequencyPenalty == 0.5)
        #expect(options.topLogprobs == nil)
        #expect(try read(#""logprobs":true"#).topLogprobs == 0)
        #expect(try read(#""logprobs":true,"top_logprobs":20"#).topLogprobs == 20)
        #expect(
            options.logitBias == [.init(token: 5, bias: 1.5), .init(token: 70, bias: -100)]
        )
    }

    @Test(
        "that asks for nothing is none",
        arguments: [
            #""presence_penalty":0"#, #""frequency_penalty":null"#, #""logit_bias":{}"#,
            #""logit_bias":{"5":0}"#, #""logit_bias":null"#, #""logprobs":false"#,
            #""top_logprobs":0"#,
        ]
    )
    func nothing(field: String) throws {
        #expect(try read(field).isEmpty && read(field).firstName == nil)
    }

    @Test(
        "that is out of bounds or malformed is refused by name",
        arguments: [
            (#""presence_penalty":2.1"#, "presence_penalty"),
            (#""frequency_penalty":"1""#, "frequency_penalty"),
            (#""logit_bias":[5]"#, "logit_bias"), (#""logit_bias":{"5":101}"#, "logit_bias"),
            (#""logit_bias":{"5":"1"}"#, "logit_bias"), (#""logit_bias":{"-5":1}"#, "logit_bias"),
            (#""logit_bias":{"05":1}"#, "logit_bias"), (#""logit_bias":{"a":1}"#, "logit_bias"),
            (#""logit_bias":{"5000000000":1}"#, "logit_bias"),
            (#""logprobs":3"#, "logprobs"), (#""top_logprobs":2"#, "top_logprobs"),
            (#""logprobs":true,"top_logprobs":21"#, "top_logprobs"),
            (#""n":0"#, "n"), (#""n":9"#, "n"),
        ]
    )
    func refused(field: String, name: String) throws {
        let error = try #require(throws: APIError.self) { _ = try read(field) }
        #expect(error.status == 400 && error.parameter == name)
    }

    @Test("of more than 1024 tokens is refused")
    func tooMany() throws {
        func field(_ count: Int) -> String {
            "\"logit_bias\":{\((0..<count).map { "\"\($0)\":1" }.joined(separator: ","))}"
        }
        #expect(try read(field(1024)).logitBias.count == 1024)
        #expect(throws: APIError.self) { _ = try read(field(1025)) }
    }

    @Test("is stored only if it asks for something, and is read back")
    func stored() throws {
        #expect(WireEncoding.text(CompletionOptions()) == Array("{}".utf8))
        var options = CompletionOptions()
        options.presencePenalty = 1.5
        options.topLogprobs = 3
        options.logitBias = [.init(token: 5, bias: -1)]
        let text = WireEncoding.text(options)
        #expect(try JSONDecoder().decode(CompletionOptions.self, from: Data(text)) == options)
        #expect(options.firstName == "presence_penalty")
    }
}
