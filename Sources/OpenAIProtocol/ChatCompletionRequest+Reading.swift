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
            settings: try Self.settings(fields),
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
        answerCount = try fields.answerCount()
        includesUsage = try readIncludesUsage(fields)
    }

    /// Makes the texts of messages those that are kept of a request with tools, if it is one.
    mutating func keepTools(of messages: RequestMessages) {
        if options.tools == nil, messages.hasCalls { options.tools = ToolUse(functions: []) }
        let hasTools = options.tools != nil
        for index in history.indices {
            history[index].text = history[index].stored(hasTools: hasTools)
        }
        question = messages.last.stored(hasTools: hasTools)
    }

    private func readIncludesUsage(_ fields: RequestFields) throws(APIError) -> Bool {
        guard let value = fields["stream_options"] else { return false }
        guard isStreamed else {
            throw APIError.invalid("stream_options", "it is only for requests with stream: true")
        }
        let options = try RequestFields(value, at: "stream_options")
        try options.refuseOthers(
            than: ["include_usage"],
            harmless: ["include_obfuscation": { $0.bool == false }]
        )
        return try options.bool("include_usage") ?? false
    }

    // MARK: Settings

    private static func settings(_ fields: RequestFields) throws(APIError) -> GenerationSettings {
        var settings = try fields.sampling()
        settings.seed = try fields.integer("seed").map(Int64.init)
        try fields.check(GenerationSettings(seed: settings.seed), "seed")
        settings.maxTokens = try fields.maxTokens(["max_completion_tokens", "max_tokens"])
        settings.stop = try stop(fields)
        return settings
    }

    /// `stop` is a string or an array of strings.
    private static func stop(_ fields: RequestFields) throws(APIError) -> [String]? {
        guard let value = fields["stop"] else { return nil }
        let texts: [String?] =
            if let text = value.string { [text] } else { value.array?.map(\.string) ?? [nil] }
        guard !texts.contains(nil) else {
            throw APIError.invalid(
                "stop",
                "it must be a string, or an array of strings",
                code: "invalid_type"
            )
        }
        let stop = texts.compactMap(\.self)
        let settings = GenerationSettings(stop: stop)
        if let violation = settings.violation { throw APIError.invalid("stop", violation) }
        return stop.isEmpty ? nil : stop
    }
}
