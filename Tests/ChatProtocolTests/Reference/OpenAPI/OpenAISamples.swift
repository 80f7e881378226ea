// Samples of the replies of OpenAI's API, from which the document has their schemas.

import ChatCore
import ChatProtocol
import OpenAIProtocol
import ToolCalls

/// Samples by the name of their schema: each with all members that it can have, and without those that
/// it need not have.
enum OpenAISamples {
    static func schemas() throws -> [(name: String, schema: YAML)] {
        try [
            ("APIError", SampleSchema(errors).yaml),
            ("ChatCompletion", SampleSchema(completions).yaml),
            ("Completion", SampleSchema(texts: textCompletions).yaml),
            ("DeletedResponse", SampleSchema([DeletedResponse(MessageID.make())]).yaml),
            ("Model", SampleSchema(models).yaml),
            ("ModelList", SampleSchema([ModelList(models)]).yaml),
            ("Response", SampleSchema(responses()).yaml),
        ]
    }

    private static let errors =
        [APIError.invalid("model", "it is missing")]
        + ErrorCode.allCases.map { APIError(WireError($0, "a sentence")) }

    private static let models = [
        ListedModel(id: "stoa-demo", created: 1, contextLength: 2048),
        ListedModel(id: "stoa-demo", created: 1, contextLength: nil),
    ]

    private static let usage = TokenUsage(
        Usage(
            promptTokens: 12,
            cachedTokens: 4,
            completionTokens: 3,
            timeToFirstTokenMilliseconds: 1,
            tokensPerSecond: 1
        )
    )

    private static let completions: [ChatCompletion] = {
        let head = CompletionHead(id: "chatcmpl-1", created: 1, model: "stoa-demo")
        let token = AnswerToken.Rated(bytes: [0x35], logprob: -0.5)
        let piece = AnswerPiece("5", tokens: [AnswerToken(at: 0, token: token, top: [token])])
        let call = AnswerPiece("<|tool_call|>[{\"name\": \"now\"}]<|/tool_call|>")
        let parser = ToolCallParser(
            ToolCallParser.Marks(opening: "<|tool_call|>", closing: "<|/tool_call|>"),
            functions: []
        )
        return [
            ChatCompletion(head, [WholeAnswer(call, .stop)], usage: usage, parser: parser),
            ChatCompletion(head, [WholeAnswer(piece, .stop)], usage: usage, includesTokens: true),
            ChatCompletion(head, [WholeAnswer(AnswerPiece("5"), .length)], usage: nil),
        ]
    }()

    private static let textCompletions: [[UInt8]] = {
        let head = CompletionHead(id: "cmpl-1", created: 1, model: "stoa-demo")
        let token = AnswerToken.Rated(bytes: [0x35], logprob: -0.5)
        let piece = AnswerPiece("5", tokens: [AnswerToken(at: 0, token: token, top: [])])
        return [true, false].map { includesTokens in
            let writer = TextCompletionWriter(
                head,
                echoes: [""],
                includesUsage: false,
                includesTokens: includesTokens
            )
            return writer.whole([WholeAnswer(piece, .stop)], includesTokens ? usage : nil)
        }
    }()

    private static func responses() -> [ResponseObject] {
        let answer = MessageID.make()
        var head = ResponseObject.Head(
            answer: answer,
            created: 1,
            model: "stoa-demo",
            instructions: "You count.",
            previous: answer,
            settings: GenerationSettings(temperature: 0.5, topP: 0.5, maxTokens: 100),
            isStored: true
        )
        let full = ResponseObject(head, AnswerPiece("5"), .ended(.length, usage))
        head.instructions = nil
        head.previous = nil
        head.settings = GenerationSettings()
        let call = AnswerPiece("5<|tool_call|>[{\"name\": \"now\"}]<|/tool_call|>")
        let now = ToolUse.Function(name: "now", description: "It.", parameters: "{}")
        var others = [ToolUse.Choice.none, .required, .function("now")].map { choice in
            head.tools = ToolUse(functions: [now], choice: choice)
            return ResponseObject(head, call, .ended(.stop, usage))
        }
        head.tools = ToolUse(functions: [now])
        others.append(ResponseObject(head, call, .ended(.stop, usage)))
        head.tools = nil
        return others + [
            full,
            ResponseObject(head, AnswerPiece(""), .failed(errors[0])),
            ResponseObject(head, AnswerPiece(""), .queued),
        ]
    }
}
