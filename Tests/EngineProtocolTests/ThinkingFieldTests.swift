import EngineProtocol
import TestSupport
import Testing

@Suite("Thinking parts of remote engines")
struct ThinkingFieldTests {
    private func chunk(_ fields: String) -> String {
        #"data: {"choices":[{"index":0,"delta":{\#(fields)}}]}"# + "\n\n"
    }

    private let end = """
        data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

        data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":9,\
        "completion_tokens_details":{"reasoning_tokens":4}}}

        data: [DONE]


        """

    private func decode(
        _ stream: String,
        isContinued: Bool = false,
        isThinking: Bool = false
    ) throws(EngineFault) -> (text: String, result: AnswerDecoder.Result) {
        var decoder = AnswerDecoder(
            .chat,
            promptTokens: 5,
            tokensMax: 20,
            isContinued: isContinued,
            isThinking: isThinking
        )
        return (try decoder.receive(stream.utf8), try decoder.finish())
    }

    @Test(
        "a field of its own gets the tags around it",
        arguments: ["reasoning_content", "reasoning"]
    )
    func fields(name: String) throws {
        let stream =
            chunk(#""role":"assistant","content":"","\#(name)":null"#)
            + chunk(#""\#(name)":"I ""#) + chunk(#""\#(name)":"add.""#)
            + chunk(#""content":"It is""#) + chunk(#""content":" 4.""#) + end
        let (text, result) = try decode(stream)
        #expect(text == "<think>I add.</think>It is 4.")
        #expect(result.usage?.thinkingTokens == 4)
        let bytes = Array(stream.utf8)
        for cut in bytes.indices {
            var decoder = AnswerDecoder(.chat, promptTokens: 5, tokensMax: 20)
            let start = try decoder.receive(bytes[..<cut])
            #expect(try start + decoder.receive(bytes[cut...]) == text)
        }
    }

    @Test("tags within the content stay as they are")
    func tags() throws {
        let stream = chunk(#""content":"<think>a""#) + chunk(#""content":"</think>b""#) + end
        #expect(try decode(stream).text == "<think>a</think>b")
    }

    @Test("a part that ends with the answer stays open")
    func cut() throws {
        #expect(try decode(chunk(#""reasoning":"a""#) + end).text == "<think>a")
    }

    @Test("another engine goes on within the part, whichever way it sends it")
    func continued() throws {
        let byField = chunk(#""reasoning":" b""#) + chunk(#""content":"c""#) + end
        #expect(try decode(byField, isContinued: true, isThinking: true).text == " b</think>c")
        let byTag = chunk(#""content":" b</think>c""#) + end
        #expect(try decode(byTag, isContinued: true, isThinking: true).text == " b</think>c")
    }

    @Test("thoughts within an answer are left out")
    func late() throws {
        let stream = chunk(#""content":"a""#) + chunk(#""reasoning":"b""#) + end
        #expect(try decode(stream).text == "a")
        #expect(try decode(chunk(#""reasoning":"b""#) + end, isContinued: true).text.isEmpty)
    }

    @Test("what is no text is a fault")
    func malformed() {
        #expect(throws: EngineFault.self) { try decode(chunk(#""reasoning":[]"#) + end) }
    }

    @Test("a limit is sent in the words of each engine, or refused")
    func limits() throws {
        var request = AnswerRequest(
            model: "phi",
            prompt: .messages([.init(role: "user", content: "Hi")], answer: ""),
            tokensMax: 9
        )
        request.thinkingTokensMax = 7
        let names: [EngineKind: String] = [
            .vllm: "thinking_token_budget", .llamaServer: "thinking_budget_tokens",
            .stoa: "max_thinking_tokens",
        ]
        for kind in EngineKind.allCases {
            guard let name = names[kind] else {
                #expect(throws: EngineFault.cannotLimitThinking) { try request.body(for: kind) }
                continue
            }
            let body = String(decoding: try request.body(for: kind), as: UTF8.self)
            #expect(body.contains("\"\(name)\":7"), "\(body)")
        }
        request.prompt = .tokens([1])
        #expect(throws: EngineFault.cannotLimitThinking) { try request.body(for: .vllm) }
    }
}
