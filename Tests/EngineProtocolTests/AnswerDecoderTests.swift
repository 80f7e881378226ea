import EngineProtocol
import TestSupport
import Testing

/// Streams as the engines send them.
enum Streams {
    static let vllmChat = """
        data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"phi","choices":[{"index":0,\
        "delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

        data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Grüße"},"finish_reason":null}]}

        data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":" 🦉"},"finish_reason":"stop",\
        "stop_reason":200020}]}

        data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":5,"total_tokens":9,\
        "completion_tokens":4,"prompt_tokens_details":{"cached_tokens":3}}}

        data: [DONE]


        """
    static let completion = """
        data: {"id":"cmpl-1","object":"text_completion","choices":[{"index":0,"text":"Grüße",\
        "finish_reason":null}],"usage":null}

        data: {"id":"cmpl-1","choices":[{"index":0,"text":" 🦉","finish_reason":"length"}]}

        data: {"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":4}}

        data: [DONE]


        """
    static let llama = """
        data: {"index":0,"content":"Grüße","tokens":[1],"stop":false,"id_slot":0}

        data: {"index":0,"content":" 🦉","tokens":[2],"stop":false,"id_slot":0}

        data: {"index":0,"content":"","stop":true,"tokens_predicted":4,"tokens_evaluated":5,\
        "stop_type":"eos","truncated":false,"tokens_cached":8,"timings":{"cache_n":3,"prompt_n":2}}


        """
}

@Suite("Answers of remote engines")
struct AnswerDecoderTests {
    private func decode(
        _ stream: String,
        _ dialect: EngineDialect = .chat,
        promptTokens: Int? = 5,
        tokensMax: Int = 8
    ) throws(EngineFault) -> (text: String, result: AnswerDecoder.Result) {
        var decoder = AnswerDecoder(dialect, promptTokens: promptTokens, tokensMax: tokensMax)
        return (try decoder.receive(stream.utf8), try decoder.finish())
    }

    private func fault(_ stream: String, _ dialect: EngineDialect = .chat) -> EngineFault? {
        do throws(EngineFault) {
            _ = try decode(stream, dialect)
            return nil
        } catch { return error }
    }

    private func chat(_ content: String, end: String = "null") -> String {
        #"data: {"choices":[{"index":0,"delta":{"content":\#(content)},"finish_reason":\#(end)}]}"#
            + "\n\n"
    }

    @Test("text, end and usage are read in each form")
    func forms() throws {
        let usage = TokenUsage(promptTokens: 5, completionTokens: 4, cachedTokens: 3)
        let (text, result) = try decode(Streams.vllmChat)
        #expect(text == "Grüße 🦉" && result.end == .stop && result.usage == usage)
        let completion = try decode(Streams.completion, .completion)
        #expect(completion.text == "Grüße 🦉" && completion.result.end == .length)
        #expect(completion.result.usage?.cachedTokens == 0)
        let llama = try decode(Streams.llama, .llama)
        #expect(llama.text == "Grüße 🦉" && llama.result.end == .stop)
        #expect(llama.result.usage == usage)
    }

    @Test(
        "no split of the bytes changes the text, and no part of it has half a character",
        arguments: 0..<50
    )
    func splits(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for (dialect, stream) in [
            (EngineDialect.chat, Streams.vllmChat), (.completion, Streams.completion),
            (.llama, Streams.llama),
        ] {
            var decoder = AnswerDecoder(dialect, promptTokens: 5, tokensMax: 8)
            var parts: [String] = []
            var rest = Array(stream.utf8)[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...7, using: &generator)
                parts.append(try decoder.receive(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(parts.filter { !$0.isEmpty } == ["Grüße", " 🦉"])
            #expect(decoder.isComplete && decoder.eventCount == 2)
        }
    }

    @Test("each prefix of an answer is cut, and never complete")
    func cuts() throws {
        let bytes = Array(Streams.llama.utf8)
        for count in 0..<(bytes.count - 1) {
            var decoder = AnswerDecoder(.llama, promptTokens: 5, tokensMax: 8)
            _ = try decoder.receive(bytes.prefix(count))
            #expect(!decoder.isComplete)
            #expect(throws: EngineFault.cut) { try decoder.finish() }
        }
    }

    @Test("an error in the stream is told, in every form that engines use")
    func errors() {
        let forms = [
            #"data: {"error":{"message":"out of memory","type":"x","code":500}}"#,
            #"data: {"error":"out of memory"}"#,
            #"data: {"object":"error","message":"out of memory","code":400}"#,
            #"error: {"code":500,"message":"out of memory"}"#,
            "event: error\ndata: out of memory",
        ]
        for form in forms {
            #expect(fault(form + "\n\n") == .reported("out of memory"), "\(form)")
        }
        #expect(fault(chat(#""a""#, end: #""abort""#)) == .aborted)
        let truncated = #"data: {"content":"","stop":true,"stop_type":"eos","truncated":true}"#
        guard case .reported? = fault(truncated + "\n\n", .llama) else {
            Issue.record("a prompt whose middle was left out passed")
            return
        }
    }

    @Test("a full context ends an answer, and a prompt of which a part was dropped fails it")
    func fullContext() throws {
        func end(evaluated: Int, predicted: Int, held: Int) -> String {
            #"data: {"content":"","stop":true,"stop_type":"limit","truncated":true,"#
                + #""tokens_evaluated":\#(evaluated),"tokens_predicted":\#(predicted),"#
                + "\"tokens_cached\":\(held)}\n\n"
        }
        let (_, full) = try decode(end(evaluated: 5, predicted: 3, held: 7), .llama)
        #expect(full.end == .length && full.usage?.completionTokens == 3)
        // It went on after a shift of its context; it dropped a part before it began; nonsense.
        for (evaluated, predicted, held) in [(5, 8, 6), (4, 3, 6), (.max, .max, 6)] {
            let stream = end(evaluated: evaluated, predicted: predicted, held: held)
            guard case .reported? = fault(stream, .llama) else {
                Issue.record("\(evaluated), \(predicted) and \(held) passed")
                continue
            }
        }
    }

    @Test(
        "garbage is a protocol error",
        arguments: [
            "data: <html>\n\n", "data: 7\n\n", "data: {}\n\n",
            #"data: {"choices":[{},{}]}"# + "\n\n",
            #"data: {"choices":[{"index":1,"delta":{"content":"a"}}]}"# + "\n\n",
            #"data: {"choices":[{"index":0,"delta":{"content":7}}]}"# + "\n\n",
            #"data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"# + "\n\n",
            #"data: {"choices":[{"index":0,"delta":{"content":"\ud83d"}}]}"# + "\n\n",
            #"data: {"choices":[],"usage":{"prompt_tokens":"many"}}"# + "\n\n",
        ]
    )
    func garbage(_ stream: String) {
        guard case .malformed? = fault(stream) else {
            Issue.record("\(stream) gives \(String(describing: fault(stream)))")
            return
        }
    }

    @Test("bytes that are not UTF-8 are a protocol error")
    func invalidUTF8() {
        var decoder = AnswerDecoder(.chat, promptTokens: nil, tokensMax: 8)
        let start = #"data: {"choices":[{"index":0,"delta":{"content":""#
        let bytes = Array(start.utf8) + [0xC3, 0x28]
        #expect(throws: EngineFault.self) {
            _ = try decoder.receive(bytes + Array("\"}}]}\n\n".utf8))
        }
    }

    @Test("text after the end, and an end without text, are told apart")
    func order() throws {
        #expect(
            fault(chat(#""a""#, end: #""stop""#) + chat(#""b""#))
                == .malformed("text follows the end of the answer")
        )
        #expect(try decode(chat("null", end: #""stop""#)).text == "")
        #expect(fault("data: [DONE]\n\n") == .cut)
        #expect(fault(chat(#""a""#)) == .cut)
    }

    @Test(
        "usage that cannot be true is not believed, and the answer stands",
        arguments: [
            (6, 1, 0, false), (5, 1, 0, true), (5, -1, 0, false), (5, 9, 0, false),
            (5, 0, 0, false), (5, 1, 6, false), (5, 1, -1, false), (5, 8, 5, true),
            (.max, 1, 0, false),
        ]
    )
    func lies(_ prompt: Int, _ completion: Int, _ cached: Int, _ isBelieved: Bool) throws {
        let usage = """
            data: {"choices":[],"usage":{"prompt_tokens":\(prompt),"completion_tokens":\(completion),\
            "prompt_tokens_details":{"cached_tokens":\(cached)}}}\n\n
            """
        let (text, result) = try decode(chat(#""a""#, end: #""stop""#) + usage)
        #expect(text == "a")
        #expect((result.usage != nil) == isBelieved)
        #expect((result.usageProblem == nil) == isBelieved)
    }

    @Test("an answer longer than was asked for is refused")
    func tooLong() {
        let stream = String(repeating: chat(#""a""#), count: 25)
        #expect(fault(stream) == .tooLarge(.answer, byteLimit: 8 * 512))
        let long = chat("\"\(String(repeating: "a", count: 5000))\"")
        #expect(fault(long) == .tooLarge(.answer, byteLimit: 8 * 512))
    }

    @Test("a status tells the fault")
    func statuses() {
        func fault(_ status: Int, _ body: String = "", _ after: String? = nil) -> EngineFault {
            AnswerChunk.fault(status: status, retryAfter: after, body: Array(body.utf8))
        }
        #expect(fault(302) == .redirected(status: 302))
        #expect(fault(401) == .unauthorized(status: 401))
        #expect(fault(404, #"{"detail":"Not Found"}"#) == .notFound("Not Found"))
        #expect(fault(429, "", "7") == .busy(status: 429, retryAfter: 7))
        #expect(fault(503, "", "soon") == .busy(status: 503, retryAfter: nil))
        #expect(fault(400, #"{"error":{"message":"no"}}"#) == .refused(status: 400, "no"))
        #expect(fault(500, "oh\u{1B}[2J") == .failed(status: 500, "oh[2J"))
    }
}
