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
            question: messages.last?.text ?? "",
            settings: try fields.settings(maxTokens: ["max_completion_tokens", "max_tokens"]),
            isStreamed: try fields.bool("stream") ?? false,
            includesUsage: false,
            store: try fields.bool("store"),
            endUser: try fields.endUser()
        )
        try keepThinking(
            fields.effort("reasoning_effort"),
            "reasoning_effort",
            fields.maxThinkingTokens()
        )
        options = try fields.options()
        try keepTools(fields.tools(.nested), of: messages)
        options.topLogprobs = try fields.topLogprobs()
        options.format = try fields.format("response_format", isNested: true)
        try requireAgreement(logprobs: "logprobs")
        answerCount = try fields.answerCount()
        includesUsage = try fields.includesUsage(isStreamed: isStreamed)
    }

    /// Keeps the tools of a request, and makes the texts of its messages those that are kept of a
    /// request with tools, if it is one.
    mutating func keepTools(_ tools: ToolUse?, of messages: RequestMessages) {
        options.tools = tools ?? (messages.hasCalls ? ToolUse(functions: []) : nil)
        let hasTools = options.tools != nil
        for index in history.indices {
            history[index].text = history[index].stored(hasTools: hasTools)
        }
        question = messages.last?.stored(hasTools: hasTools) ?? ""
    }

    /// Makes it a request with tools, if it is none: one that continues an answer of such a request.
    mutating func markTexts() {
        guard options.tools == nil else { return }
        options.tools = ToolUse(functions: [])
        for index in history.indices {
            history[index].text = history[index].stored(hasTools: true)
        }
        question = ToolText(.user, question).stored
    }

    /// Throws if the request has tools, and what cannot be had with them.
    /// - Parameter logprobs: the field that asks for probabilities.
    /// - Throws: `APIError` that names the field.
    func requireAgreement(logprobs: String) throws(APIError) {
        guard options.tools != nil else { return }
        let refused =
            options.topLogprobs != nil ? logprobs : options.format.map { _ in formatField }
        guard let refused else { return }
        throw APIError.unsupported(refused, "this server does not support it with tools")
    }
}
