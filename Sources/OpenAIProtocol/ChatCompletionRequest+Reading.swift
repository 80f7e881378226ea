// Reads the body of `POST /v1/chat/completions`. What is not supported is an error that names the
// field.

import ChatCore
import ChatProtocol
import JSONText

extension ChatCompletionRequest {
    /// Reads a request.
    /// - Parameter bytes: the body.
    /// - Throws: `APIError` if it is not JSON, or a field is missing, wrong, or not supported.
    public init(reading bytes: [UInt8]) throws(APIError) {
        let fields = try RequestFields(body: bytes)
        try fields.refuseOthers(than: Self.fields, harmless: Self.unsupported)
        let model = try fields.model()
        let messages = try RequestMessages(reading: fields.required("messages"), .chat)
        self.init(
            model: model,
            system: messages.system,
            history: messages.history,
            question: messages.last.text,
            settings: try fields.settings(maxTokens: ["max_completion_tokens", "max_tokens"]),
            isStreamed: try fields.bool("stream") ?? false,
            includesUsage: false,
            store: try fields.bool("store"),
            endUser: try fields.endUser()
        )
        options = try fields.options()
        options.tools = try fields.tools(.nested)
        keepTools(of: messages)
        options.topLogprobs = try fields.topLogprobs()
        if options.topLogprobs != nil, options.tools != nil {
            throw APIError.unsupported("logprobs", "this server does not support it with tools")
        }
        options.format = try fields.format("response_format", isNested: true)
        if options.format != nil, options.tools != nil {
            throw APIError.unsupported(
                "response_format",
                "this server does not support it with tools"
            )
        }
        answerCount = try fields.answerCount()
        includesUsage = try fields.includesUsage(isStreamed: isStreamed)
    }

    /// Makes the texts of messages those that are kept of a request with tools, if it is one.
    private mutating func keepTools(of messages: RequestMessages) {
        if options.tools == nil, messages.hasCalls { options.tools = ToolUse(functions: []) }
        let hasTools = options.tools != nil
        for index in history.indices {
            history[index].text = history[index].stored(hasTools: hasTools)
        }
        question = messages.last.stored(hasTools: hasTools)
    }
}
