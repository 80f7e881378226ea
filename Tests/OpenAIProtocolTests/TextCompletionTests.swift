// Text completions: how their requests are read, and their replies, as OpenAI's clients read them.

import ChatCore
import ChatProtocol
import FoundationEssentials
import OpenAIProtocol
import Testing

@Suite("A text completion")
struct TextCompletionTests {
    private func read(_ fields: String) throws(APIError) -> TextCompletionRequest {
        try TextCompletionRequest(reading: Array(#"{"model":"m",\#(fields)}"#.utf8))
    }

    @Test(
        "takes a prompt as text or tokens, or several",
        arguments: [
            (#""Hi""#, [.text("Hi")]), (#"["Hi","a"]"#, [.text("Hi"), .text("a")]),
            ("[1,2]", [.tokens([1, 2])]), ("[[1],[2,3]]", [.tokens([1]), .tokens([2, 3])]),
            (#"[[1],"a"]"#, [.tokens([1]), .text("a")]),
        ] as [(String, [TextCompletionRequest.Prompt])]
    )
    func prompts(text: String, prompts: [TextCompletionRequest.Prompt]) throws {
        #expect(try read("\"prompt\":\(text)").prompts == prompts)
    }

    @Test("has sixteen tokens unless it names another number, and nothing else is asked for")
    func standard() throws {
        let request = try read(#""prompt":"Hi","best_of":1,"suffix":null,"seed":null"#)
        #expect(request.settings == GenerationSettings(maxTokens: 16))
        #expect(request.options.isEmpty && request.answerCount == 1)
        #expect(!request.echoes && !request.isStreamed && !request.includesUsage)
    }

    @Test("has all of its parameters")
    func parameters() throws {
        let request = try read(
            """
            "prompt":"Hi","max_tokens":5,"temperature":1,"top_p":0.5,"n":2,"stream":true,\
            "stream_options":{"include_usage":true},"stop":["a"],"seed":3,"echo":false,\
            "logprobs":5,"presence_penalty":1,"frequency_penalty":-1,"logit_bias":{"5":1},\
            "user":"u"
            """
        )
        #expect(
            request.settings
                == GenerationSettings(temperature: 1, topP: 0.5, maxTokens: 5, seed: 3, stop: ["a"])
        )
        #expect(request.options.topLogprobs == 5 && request.options.presencePenalty == 1)
        #expect(request.options.frequencyPenalty == -1 && request.options.logitBias.count == 1)
        #expect(request.answerCount == 2 && request.isStreamed && request.includesUsage)
        #expect(request.endUser == "u")
        #expect(try read(#""prompt":"Hi","echo":true"#).echoes)
    }

    @Test(
        "is refused by the name of what is wrong",
        arguments: [
            (#""n":1"#, "prompt"), (#""prompt":"""#, "prompt"), (#""prompt":[]"#, "prompt"),
            (#""prompt":[1,"a"]"#, "prompt"), (#""prompt":[-1]"#, "prompt"),
            (#""prompt":[[]]"#, "prompt[0]"), (#""prompt":{}"#, "prompt"),
            (#""prompt":["a",""]"#, "prompt[1]"), (#""prompt":"a\u0000""#, "prompt"),
            (#""prompt":[1.5]"#, "prompt[0]"), (#""prompt":[3000000000]"#, "prompt"),
            (#""prompt":"a","logprobs":6"#, "logprobs"),
            (#""prompt":"a","logprobs":true"#, "logprobs"),
            (#""prompt":"a","logprobs":0,"echo":true"#, "logprobs"),
            (#""prompt":"a","best_of":2"#, "best_of"), (#""prompt":"a","suffix":"b""#, "suffix"),
            (#""prompt":["a","b","c"],"n":6"#, "n"), (#""prompt":"a","n":9"#, "n"),
            (#""prompt":"a","max_tokens":0"#, "max_tokens"),
            (#""prompt":"a","messages":[]"#, "messages"),
            (#""prompt":["","","","","","","","","","","","","","","","",""]"#, "prompt"),
        ]
    )
    func refused(fields: String, name: String) throws {
        let error = try #require(throws: APIError.self) { _ = try read(fields) }
        #expect(error.status == 400 && error.parameter == name, "\(error)")
    }

    // MARK: Replies

    private let head = CompletionHead(id: "cmpl-1", created: 17, model: "phi")
    private let start = #"{"id":"cmpl-1","object":"text_completion","created":17,"model":"phi","#

    private func writer(
        echoes: [String] = [""],
        usage: Bool = false,
        tokens: Bool = false
    ) -> TextCompletionWriter {
        TextCompletionWriter(head, echoes: echoes, includesUsage: usage, includesTokens: tokens)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("is written whole, after its prompt if that is wanted")
    func whole() {
        let answers = [
            WholeAnswer(AnswerPiece("a"), .stop), WholeAnswer(AnswerPiece("b"), .length),
        ]
        #expect(
            text(writer(echoes: ["", "Hi "]).whole(answers, nil)) == """
                \(start)"choices":[\
                {"text":"a","index":0,"logprobs":null,"finish_reason":"stop"},\
                {"text":"Hi b","index":1,"logprobs":null,"finish_reason":"length"}],"usage":null}
                """
        )
    }

    @Test("is written in chunks")
    func chunks() {
        var writer = writer(echoes: ["", "Hi"], usage: true)
        func chunk(_ choice: String) -> String {
            "data: \(start)\"choices\":[\(choice)],\"usage\":null}\n\n"
        }
        #expect(
            text(writer.begin())
                == chunk(#"{"text":"Hi","index":1,"logprobs":null,"finish_reason":null}"#)
        )
        #expect(
            text(writer.more(AnswerPiece("ä"), of: 1))
                == chunk(#"{"text":"ä","index":1,"logprobs":null,"finish_reason":null}"#)
        )
        #expect(
            text(writer.end(.stop, of: 0))
                == chunk(#"{"text":"","index":0,"logprobs":null,"finish_reason":"stop"}"#)
        )
        #expect(text(writer.finish(nil)) == chunk("") + "data: [DONE]\n\n")
        #expect(!text(self.writer().end(.stop, of: 0)).contains("usage"))
    }

    @Test("has the tokens' probabilities, and where each begins in the text")
    func tokens() {
        func token(_ at: Int, _ text: String) -> AnswerToken {
            let rated = AnswerToken.Rated(bytes: Array(text.utf8), logprob: -0.5)
            let other = AnswerToken.Rated(bytes: [0x62], logprob: -2)
            return AnswerToken(at: at, token: rated, top: [rated, other, other])
        }
        var writer = writer(tokens: true)
        let first = AnswerPiece("äc", tokens: [token(0, "ä"), token(2, "c")])
        let second = AnswerPiece("d", tokens: [token(3, "d")])
        let piece = """
            "logprobs":{"tokens":["ä","c"],"token_logprobs":[-0.5,-0.5],\
            "top_logprobs":[{"ä":-0.5,"b":-2},{"c":-0.5,"b":-2}],"text_offset":[0,1]}
            """
        #expect(text(writer.more(first, of: 0)).contains(piece))
        #expect(text(writer.more(second, of: 0)).contains(#""text_offset":[2]"#))
        let whole = AnswerPiece("äcd", tokens: first.tokens + second.tokens)
        let reply = text(self.writer(tokens: true).whole([WholeAnswer(whole, .stop)], nil))
        #expect(reply.contains(#""text_offset":[0,1,2]"#))
    }

    @Test("is stored with its prompts")
    func stored() throws {
        var options = CompletionOptions()
        options.rawPrompts = [.text, .tokens([1, 2])]
        let bytes = WireEncoding.text(options)
        #expect(text(bytes) == #"{"prompts":["text",[1,2]]}"#)
        #expect(try JSONDecoder().decode(CompletionOptions.self, from: Data(bytes)) == options)
    }
}
