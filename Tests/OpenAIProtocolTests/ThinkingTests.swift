// What a model thinks, in OpenAI's API: fields of their own in chat completions, items in responses.

import ChatCore
import ChatProtocol
import OpenAIProtocol
import Testing

@Suite("What a model thinks, in OpenAI's API,")
struct ThinkingTests {
    private static let answer = "<think>I <b>add</b>.</think>\n\nIt is 4."

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func chat() -> ChatCompletionWriter {
        ChatCompletionWriter(
            CompletionHead(id: "chatcmpl-1", created: 17, model: "phi"),
            includesUsage: false
        )
    }

    private func response() throws -> ResponseWriter {
        ResponseWriter(
            ResponseObject.Head(
                answer: try #require(MessageID("01890a5d-ac96-774b-bcce-b302099a8057")),
                created: 17,
                model: "phi",
                instructions: nil,
                previous: nil,
                settings: GenerationSettings(),
                isStored: true
            )
        )
    }

    /// The texts of a field in a stream's frames, together.
    private func joined(_ field: String, _ frames: String) -> String {
        frames.split(separator: "\"\(field)\":\"").dropFirst().map { part in
            part.prefix { $0 != "\"" }
        }.joined()
    }

    @Test("is reasoning_content beside the content of a whole reply")
    func whole() {
        let reply = text(chat().whole([WholeAnswer(AnswerPiece(Self.answer), .stop)], nil))
        #expect(
            reply.contains(
                #""message":{"role":"assistant","content":"It is 4.","#
                    + #""reasoning_content":"I <b>add</b>.","refusal":null}"#
            ),
            "\(reply)"
        )
        let plain = text(chat().whole([WholeAnswer(AnswerPiece("It is 4."), .stop)], nil))
        #expect(!plain.contains("reasoning_content"))
    }

    @Test("comes in chunks of its own, wherever the text is split", arguments: 1...12)
    func stream(length: Int) throws {
        var writer = chat()
        var responses = try response()
        var frames = writer.begin()
        var events = responses.begin()
        var rest = Self.answer[...]
        while !rest.isEmpty {
            frames += writer.more(AnswerPiece(String(rest.prefix(length))), of: 0)
            events += responses.more(AnswerPiece(String(rest.prefix(length))), of: 0)
            rest = rest.dropFirst(length)
        }
        frames += writer.end(.stop, of: 0)
        events += responses.end(.stop, of: 0) + responses.finish(nil)
        #expect(joined("reasoning_content", text(frames)) == "I <b>add</b>.")
        #expect(joined("content", text(frames)) == "It is 4.")

        let kinds = text(events).split(separator: "\n").filter { $0.hasPrefix("event: ") }
            .map { $0.dropFirst("event: response.".count) }
        let parts = ["output_item.added", "content_part.added"]
        var order = ["created", "in_progress"] + parts + ["reasoning_text.delta"]
        order += ["reasoning_text.done", "content_part.done", "output_item.done"]
        order += parts + ["output_text.delta", "output_text.done", "content_part.done"]
        order += ["output_item.done", "completed"]
        var distinct: [String] = []
        for kind in kinds where kind != distinct.last ?? "" { distinct.append(String(kind)) }
        #expect(distinct == order)
    }

    @Test("is an item of a response, before the message")
    func item() throws {
        let whole = text(
            try response().whole([WholeAnswer(AnswerPiece(Self.answer), .stop)], nil)
        )
        #expect(
            whole.contains(
                #""output":[{"id":"rs_01890a5d-ac96-774b-bcce-b302099a8057","type":"reasoning","#
                    + #""status":"completed","summary":[],"#
                    + #""content":[{"type":"reasoning_text","text":"I <b>add</b>."}]},"#
            ),
            "\(whole)"
        )
        #expect(whole.contains(#""type":"output_text","text":"It is 4.""#))
    }

    @Test("has no probabilities of tokens; those of the answer's stay")
    func tokens() {
        func token(_ text: String, _ at: Int) -> AnswerToken {
            AnswerToken(at: at, token: .init(bytes: Array(text.utf8), logprob: -1), top: [])
        }
        let pieces = [("<think>", 0), ("a", 7), ("</think>", 8), ("\n", 16), ("b", 17), ("c", 18)]
        let whole = AnswerPiece(
            pieces.map(\.0).joined(),
            tokens: pieces.map { token($0.0, $0.1) }
        )
        let head = CompletionHead(id: "1", created: 17, model: "phi")
        let writer = ChatCompletionWriter(head, includesUsage: false, includesTokens: true)
        let reply = text(writer.whole([WholeAnswer(whole, .stop)], nil))
        #expect(reply.contains(#""token":"b""#) && reply.contains(#""token":"c""#))
        #expect(!reply.contains(#""token":"a""#) && !reply.contains(#""token":"</think>""#))
    }

    @Test("counts in the usage")
    func usage() {
        var usage = Usage(
            promptTokens: 5,
            cachedTokens: 2,
            completionTokens: 9,
            timeToFirstTokenMilliseconds: 1,
            tokensPerSecond: 1
        )
        usage.thinkingTokens = 6
        let reply = chat().whole(
            [WholeAnswer(AnswerPiece(Self.answer), .stop)],
            TokenUsage(usage)
        )
        #expect(text(reply).contains(#""completion_tokens_details":{"reasoning_tokens":6}"#))
    }

    // MARK: Requests

    private func read(_ fields: String) throws(APIError) -> ChatCompletionRequest {
        let text = #"{"model":"m","messages":[{"role":"user","content":"Hi"}],\#(fields)}"#
        return try ChatCompletionRequest(reading: Array(text.utf8))
    }

    @Test("has a limit in tokens, or as a share of the longest answer")
    func limits() throws {
        for (fields, expected) in [
            (#""max_thinking_tokens":0"#, 0), (#""max_thinking_tokens":70"#, 70),
            (#""reasoning_effort":"none""#, 0), (#""reasoning_effort":"low""#, 200),
            (#""reasoning_effort":"medium","max_tokens":50"#, 25),
        ] {
            var request = try read(fields)
            request.resolveEffort(longest: 1000)
            #expect(request.settings.maxThinkingTokens == expected, "\(fields)")
        }
        for (fields, name) in [
            (#""max_thinking_tokens":-1"#, "max_thinking_tokens"),
            (#""reasoning_effort":"much""#, "reasoning_effort"),
            (#""reasoning_effort":"low","max_thinking_tokens":5"#, "reasoning_effort"),
        ] {
            let error = try #require(throws: APIError.self) { _ = try read(fields) }
            #expect(error.parameter == name)
        }
    }

    @Test("may be sent back with an answer, and is left out")
    func history() throws {
        let question = #"{"role":"user","content":"Hi"}"#
        let text = #"""
            {"model":"m","messages":[\#(question),
            {"role":"assistant","content":"It is 4.","reasoning_content":"I add."},\#(question)]}
            """#
        let request = try ChatCompletionRequest(reading: Array(text.utf8))
        #expect(request.history.map(\.text) == ["Hi", "It is 4."])
        let input = #"""
            {"model":"m","input":[\#(question),{"type":"reasoning","id":"rs_1","summary":[],
            "content":[{"type":"reasoning_text","text":"I add."}]},
            {"type":"message","role":"assistant","content":"It is 4."},\#(question)]}
            """#
        let response = try ResponseRequest(reading: Array(input.utf8))
        #expect(response.completion.history.map(\.text) == ["Hi", "It is 4."])
    }
}
