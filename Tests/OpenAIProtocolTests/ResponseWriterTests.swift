// Responses and their events: their JSON, as OpenAI's clients read it.

import ChatProtocol
import OpenAIProtocol
import Testing

@Suite("A written response")
struct ResponseWriterTests {
    private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"
    private let usage = TokenUsage(
        Usage(
            promptTokens: 5,
            cachedTokens: 2,
            completionTokens: 3,
            timeToFirstTokenMilliseconds: 1,
            tokensPerSecond: 1
        )
    )

    private func writer() throws -> ResponseWriter {
        let id = try #require(MessageID(Self.id))
        return ResponseWriter(
            ResponseObject.Head(
                answer: id,
                created: 17,
                model: "phi",
                instructions: "Be brief.",
                previous: nil,
                settings: GenerationSettings(temperature: 0.5, maxTokens: 9),
                isStored: true
            )
        )
    }

    private func item(_ status: String, _ content: String) -> String {
        """
        {"id":"msg_\(Self.id)","type":"message","role":"assistant","status":"\(status)",\
        "content":[\(content)]}
        """
    }

    private func part(_ text: String) -> String {
        #"{"type":"output_text","text":"\#(text)","annotations":[],"logprobs":[]}"#
    }

    private func response(
        _ status: String,
        error: String = "null",
        details: String = "null",
        usage: String = "null",
        _ output: String = ""
    ) -> String {
        """
        {"id":"resp_\(Self.id)","object":"response","created_at":17,"status":"\(status)",\
        "background":false,"error":\(error),"incomplete_details":\(details),"usage":\(usage),\
        "instructions":"Be brief.","max_output_tokens":9,"model":"phi","output":[\(output)],\
        "parallel_tool_calls":true,"previous_response_id":null,"store":true,"temperature":0.5,\
        "text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":null,\
        "truncation":"disabled","metadata":{}}
        """
    }

    private let usageText = """
        {"input_tokens":5,"input_tokens_details":{"cached_tokens":2,"cache_write_tokens":3},\
        "output_tokens":3,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":8}
        """

    @Test("has the whole text")
    func whole() throws {
        let answer = WholeAnswer(AnswerPiece("Ha"), .stop)
        let text = String(decoding: try writer().whole([answer], usage), as: UTF8.self)
        let expected = response("completed", usage: usageText, item("completed", part("Ha")))
        #expect(text == expected)
    }

    @Test("has its text in events, each with its number")
    func events() throws {
        var writer = try writer()
        var bytes = writer.begin() + writer.more(AnswerPiece("H"), of: 0)
        bytes += writer.more(AnswerPiece("a"), of: 0)
        bytes += writer.end(.length, of: 0) + writer.finish(usage)
        let frames = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n\n").map(String.init)
        let begun = response("in_progress")
        let place = """
            "item_id":"msg_\(Self.id)","output_index":0,"content_index":0
            """
        let cut = response(
            "incomplete",
            details: #"{"reason":"max_output_tokens"}"#,
            usage: usageText,
            item("incomplete", part("Ha"))
        )
        let expected: [(String, [String])] = [
            ("response.created", [#""response":\#(begun)"#]),
            ("response.in_progress", [#""response":\#(begun)"#]),
            ("response.output_item.added", [#""item":\#(item("in_progress", ""))"#]),
            ("response.content_part.added", [#""part":\#(part(""))"#]),
            ("response.output_text.delta", [#""delta":"H""#, #""logprobs":[]"#]),
            ("response.output_text.delta", [#""delta":"a""#, #""logprobs":[]"#]),
            ("response.output_text.done", [#""text":"Ha""#, #""logprobs":[]"#]),
            ("response.content_part.done", [#""part":\#(part("Ha"))"#]),
            ("response.output_item.done", [#""item":\#(item("incomplete", part("Ha")))"#]),
            ("response.incomplete", [#""response":\#(cut)"#]),
        ]
        try #require(frames.count == expected.count, "\(frames)")
        for (number, (frame, (name, fields))) in zip(frames, expected).enumerated() {
            let start = "event: \(name)\ndata: {\"type\":\"\(name)\",\"sequence_number\":\(number),"
            #expect(frame.hasPrefix(start), "\(frame)")
            for field in fields { #expect(frame.contains(field), "\(frame)") }
            if name.hasPrefix("response.output_text") || name.hasPrefix("response.content_part") {
                for field in place.split(separator: ",") { #expect(frame.contains(field)) }
            }
        }
    }

    @Test("that fails says why, with its text so far")
    func failed() throws {
        var writer = try writer()
        _ = writer.begin() + writer.more(AnswerPiece("H"), of: 0)
        let frame = String(decoding: writer.fail(.stopped), as: UTF8.self)
        let error = #"{"code":"server_error","message":"the answer was stopped before its end"}"#
        #expect(frame.hasPrefix("event: response.failed\n"))
        #expect(frame.contains(response("failed", error: error, item("incomplete", part("H")))))
    }
}
