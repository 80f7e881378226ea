// The body of `POST /v1/responses`.
// https://platform.openai.com/docs/api-reference/responses/create

import ChatCore
public import ChatProtocol
import JSONText

/// A request for a response.
public struct ResponseRequest: Sendable, Hashable {
    /// What it asks for, as a request for a chat completion would; it has neither `store` nor
    /// `stream_options`.
    public var completion: ChatCompletionRequest
    /// The answer that it continues; nil for none.
    public var previous: MessageID?
    /// Whether later requests may refer to it.
    public var isStored: Bool
    /// Results of calls of the answer that it continues. Without a message after them, the question
    /// is empty until `completion(after:)` has put them in their places.
    let results: [ContinuedResult]
}

extension ResponseRequest {
    package static let fields: Set<String> = [
        "include", "input", "instructions", "max_output_tokens", "max_thinking_tokens", "model",
        "parallel_tool_calls", "previous_response_id", "reasoning", "store", "stream",
        "temperature", "text", "tool_choice", "tools",
        "top_logprobs", "top_p", "user",
    ]

    /// Fields of OpenAI's API that are not supported, with the values that ask for nothing.
    static let unsupported: [String: @Sendable (JSONValue) -> Bool] = [
        "access_programs": { _ in false },
        "background": { $0.bool == false },
        "background_options": { _ in false },
        "context_management": { $0.array?.isEmpty == true },
        "conversation": { _ in false },
        "image": { _ in false },
        "max_tool_calls": { _ in false },
        "metadata": { $0.object?.isEmpty == true },
        "moderation": { _ in false },
        "prompt": { _ in false },
        "prompt_cache_key": { _ in false },
        "prompt_cache_options": { _ in false },
        "prompt_cache_retention": { _ in false },
        "safety_identifier": { _ in false },
        "service_tier": { $0.string == "auto" || $0.string == "default" },
        "stream_options": {
            $0.object?.allSatisfy { $0.key == "include_obfuscation" && $0.value.bool == false }
                == true
        },
        "truncation": { $0.string == "disabled" },
    ]

    /// Reads a request.
    /// - Parameter bytes: the body.
    /// - Throws: `APIError` if it is not JSON, or a field is missing, wrong, or not supported.
    public init(reading bytes: [UInt8]) throws(APIError) {
        let fields = try RequestFields(body: bytes)
        try fields.refuseOthers(than: Self.fields, harmless: Self.unsupported)
        let messages = try RequestMessages(
            reading: fields.required("input"),
            .response,
            instructions: fields.string("instructions"),
            continuesAnswer: fields["previous_response_id"] != nil
        )
        results = messages.continuedResults
        var settings = try fields.sampling()
        settings.maxTokens = try fields.maxTokens(["max_output_tokens"])
        completion = ChatCompletionRequest(
            model: try fields.model(),
            system: messages.system,
            history: messages.history,
            question: messages.last?.text ?? "",
            settings: settings,
            isStreamed: try fields.bool("stream") ?? false,
            includesUsage: false,
            store: nil,
            endUser: try fields.endUser()
        )
        completion.options.topLogprobs = try fields.responseLogprobs()
        var effort: ThinkingEffort?
        if let reasoning = fields["reasoning"] {
            let reasoning = try RequestFields(reasoning, at: "reasoning")
            try reasoning.refuseOthers(
                than: ["effort"],
                harmless: ["generate_summary": { _ in false }, "summary": { _ in false }]
            )
            effort = try reasoning.effort("effort")
        }
        try completion.keepThinking(effort, "reasoning.effort", fields.maxThinkingTokens())
        completion.formatField = "text.format"
        if let text = fields["text"] {
            let text = try RequestFields(text, at: "text")
            try text.refuseOthers(than: ["format"], harmless: ["verbosity": { _ in false }])
            completion.options.format = try text.format("format", isNested: false)
        }
        try completion.keepTools(fields.tools(.flat), of: messages)
        try completion.requireAgreement(logprobs: "include")
        isStored = try fields.bool("store") ?? true
        guard let name = try fields.string("previous_response_id") else { return }
        guard let id = MessageID(responseID: name) else {
            throw APIError.noResponse(name, parameter: "previous_response_id")
        }
        previous = id
    }
}
