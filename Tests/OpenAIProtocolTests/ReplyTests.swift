// Replies, chunks and errors: their JSON, as OpenAI's clients read it.

import ChatCore
import ChatProtocol
import OpenAIProtocol
import Testing

@Suite("A reply of OpenAI's API")
struct ReplyTests {
    private let head = CompletionHead(id: "chatcmpl-1", created: 17, model: "phi")
    private let usage = TokenUsage(
        Usage(
            promptTokens: 5,
            cachedTokens: 2,
            completionTokens: 3,
            timeToFirstTokenMilliseconds: 1,
            tokensPerSecond: 1
        )
    )
    private let usageText = """
        {"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,\
        "prompt_tokens_details":{"cached_tokens":2}}
        """

    private func text(_ value: some Encodable) -> String {
        String(decoding: WireEncoding.text(value), as: UTF8.self)
    }

    private func frame(_ content: ChatCompletionChunk.Content, _ includesUsage: Bool) -> String {
        let chunk = ChatCompletionChunk(head, content, includesUsage: includesUsage)
        return String(decoding: EventStream.frame(chunk), as: UTF8.self)
    }

    @Test("has the whole text")
    func whole() {
        let answer = WholeAnswer(AnswerPiece("Ha\n\""), .length)
        let reply = ChatCompletion(head, [answer], usage: usage)
        #expect(
            text(reply) == """
                {"id":"chatcmpl-1","object":"chat.completion","created":17,"model":"phi",\
                "choices":[{"index":0,"message":{"role":"assistant","content":"Ha\\n\\"",\
                "refusal":null},"logprobs":null,"finish_reason":"length"}],"usage":\(usageText)}
                """
        )
    }

    @Test("has the text in chunks, the role first, the reason last")
    func chunks() {
        let start = """
            {"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"phi",
            """
        func expected(_ delta: String, _ reason: String, _ rest: String = "") -> String {
            "data: \(start)\"choices\":[{\"index\":0,\"delta\":\(delta),\"logprobs\":null,"
                + "\"finish_reason\":\(reason)}]\(rest)}\n\n"
        }
        #expect(frame(.role, false) == expected(#"{"role":"assistant","content":""}"#, "null"))
        #expect(frame(.piece(AnswerPiece("ä\n")), false) == expected(#"{"content":"ä\n"}"#, "null"))
        #expect(frame(.end(.stop), false) == expected("{}", #""stop""#))
        #expect(
            frame(.piece(AnswerPiece("a")), true)
                == expected(#"{"content":"a"}"#, "null", #","usage":null"#)
        )
        #expect(
            frame(.usage(usage), true)
                == "data: \(start)\"choices\":[],\"usage\":\(usageText)}\n\n"
        )
        #expect(EventStream.done == Array("data: [DONE]\n\n".utf8))
        #expect(EventStream.comment.starts(with: Array(": ".utf8)))
    }

    @Test("has the tokens' probabilities with the text, if they are wanted")
    func tokens() {
        func rated(_ bytes: [UInt8], _ logprob: Float) -> AnswerToken.Rated {
            AnswerToken.Rated(bytes: bytes, logprob: logprob)
        }
        let token = AnswerToken(
            at: 0,
            token: rated([0x61], -0.5),
            top: [rated([0x61], -0.5), rated([0xC3], -2)]
        )
        let logprobs = """
            {"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[\
            {"token":"a","logprob":-0.5,"bytes":[97]},\
            {"token":"\u{FFFD}","logprob":-2,"bytes":[195]}]}],"refusal":null}
            """
        let piece = AnswerPiece("a", tokens: [token])
        var writer = ChatCompletionWriter(head, includesUsage: false, includesTokens: true)
        let whole = String(decoding: writer.whole([WholeAnswer(piece, .stop)], nil), as: UTF8.self)
        #expect(whole.contains(#""logprobs":\#(logprobs),"finish_reason":"stop""#), "\(whole)")
        let chunk = String(decoding: writer.more(piece, of: 0), as: UTF8.self)
        #expect(chunk.contains(#""logprobs":\#(logprobs),"finish_reason":null"#), "\(chunk)")
        #expect(!String(decoding: writer.begin(), as: UTF8.self).contains("top_logprobs"))
    }

    @Test("has several answers, numbered from 0, and counts their prompt once")
    func several() {
        var writer = ChatCompletionWriter(head, count: 2, includesUsage: true)
        let answers = [
            WholeAnswer(AnswerPiece("a"), .stop), WholeAnswer(AnswerPiece("b"), .length),
        ]
        let whole = String(decoding: writer.whole(answers, nil), as: UTF8.self)
        #expect(whole.contains(#""index":0,"message":{"role":"assistant","content":"a""#))
        #expect(whole.contains(#""index":1,"message":{"role":"assistant","content":"b""#))
        let begin = String(decoding: writer.begin(), as: UTF8.self)
        #expect(begin.split(separator: "\n\n").count == 2)
        let more = String(decoding: writer.more(AnswerPiece("c"), of: 1), as: UTF8.self)
        #expect(more.contains(#""index":1,"delta":{"content":"c"}"#))
        let sum = TokenUsage.sum([usage, usage, usage, usage], answersPerPrompt: 2)
        #expect(sum?.promptTokens == 10 && sum?.cachedTokens == 4 && sum?.completionTokens == 12)
        #expect(TokenUsage.sum([], answersPerPrompt: 1) == nil)
    }

    @Test("lists models")
    func models() {
        let model = ListedModel(id: "a/b", created: 3, contextLength: 4096)
        let entry =
            #"{"id":"a/b","object":"model","created":3,"owned_by":"stoa","max_model_len":4096}"#
        #expect(text(model) == entry)
        #expect(text(ModelList([model])) == #"{"object":"list","data":[\#(entry)]}"#)
    }

    @Test("is an error with four fields")
    func error() {
        #expect(
            text(APIError.invalid("n", "no")) == """
                {"error":{"message":"n: no","type":"invalid_request_error","param":"n",\
                "code":"invalid_value"}}
                """
        )
        #expect(
            text(APIError(503, .server, "wait")) == """
                {"error":{"message":"wait","type":"server_error","param":null,"code":null}}
                """
        )
    }

    @Test(
        "has the status and the code of an error that the server's other interfaces know",
        arguments: [
            (ErrorCode.unauthenticated, 401, "invalid_api_key", false),
            (.forbidden, 403, "insufficient_permissions", false),
            (.contextExceeded, 400, "context_length_exceeded", false),
            (.busy, 429, "rate_limit_exceeded", true),
            (.rateLimited, 429, "rate_limit_exceeded", true),
            (.budgetExceeded, 429, "insufficient_quota", false),
            (.conflict, 409, "conflict", false), (.unavailable, 503, nil, true),
        ] as [(ErrorCode, Int, String?, Bool)]
    )
    func errorCode(code: ErrorCode, status: Int, name: String?, mayBeRepeated: Bool) {
        let error = APIError(WireError(code, "text", retryAfter: 4))
        #expect(error.status == status && error.code == name && error.retryAfter == 4)
        #expect(error.mayBeRepeated == mayBeRepeated)
    }

    @Test("of a stopped answer is not asked for again by clients themselves")
    func stopped() {
        #expect(APIError.stopped.status == 409 && !APIError.stopped.mayBeRepeated)
    }
}
