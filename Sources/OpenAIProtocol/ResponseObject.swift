// The reply to `POST /v1/responses` and `GET /v1/responses/ID`.
// https://platform.openai.com/docs/api-reference/responses/object

public import ChatCore
public import ChatProtocol
import ConstrainedText
import JSONText

/// A response.
public struct ResponseObject: Sendable, Encodable {
    /// What does not change while the answer is generated.
    public struct Head: Sendable {
        /// The answer.
        public var answer: MessageID
        /// When the request was accepted, in seconds since 1970.
        public var created: Int64
        /// The model.
        public var model: String
        /// The system prompt; nil for none.
        public var instructions: String?
        /// The answer that it continues; nil for none.
        public var previous: MessageID?
        /// How it is generated.
        public var settings: GenerationSettings
        /// The form of the answer; nil for any text.
        public var format: AnswerFormat?
        /// The functions that the model may call; nil for none.
        public var tools: ToolUse?
        /// Whether later requests may refer to it.
        public var isStored: Bool

        /// Creates a head.
        public init(
            answer: MessageID,
            created: Int64,
            model: String,
            instructions: String?,
            previous: MessageID?,
            settings: GenerationSettings,
            format: AnswerFormat? = nil,
            tools: ToolUse? = nil,
            isStored: Bool
        ) {
            self.answer = answer
            self.created = created
            self.model = model
            self.instructions = instructions
            self.previous = previous
            self.settings = settings
            self.format = format
            self.tools = tools
            self.isStored = isStored
        }
    }

    /// How far the answer is.
    public enum State: Sendable {
        /// It waits in the queue.
        case queued
        /// It is being generated.
        case inProgress
        /// It has ended.
        case ended(CompletionEnd, TokenUsage?)
        /// It failed, or was stopped, with the text up to then.
        case failed(APIError)

        var name: String {
            switch self {
            case .queued: "queued"
            case .inProgress: "in_progress"
            case .ended(.stop, _), .ended(.toolCalls, _): "completed"
            case .ended(.length, _): "incomplete"
            case .failed: "failed"
            }
        }
    }

    let head: Head
    let piece: AnswerPiece
    let state: State

    /// Creates a response.
    /// - Parameters:
    ///   - head: what does not change.
    ///   - piece: the text so far; empty for an answer that has none yet.
    ///   - state: how far it is.
    public init(_ head: Head, _ piece: AnswerPiece, _ state: State) {
        self.head = head
        self.piece = piece
        self.state = state
    }

    private enum Key: String, CodingKey {
        case id, object, status, background, error, instructions, model, output, store
        case temperature, text, tools, truncation, usage, metadata, reason, code, message, format
        case type
        case createdAt = "created_at"
        case incompleteDetails = "incomplete_details"
        case maxOutputTokens = "max_output_tokens"
        case parallelToolCalls = "parallel_tool_calls"
        case previousResponseID = "previous_response_id"
        case toolChoice = "tool_choice"
        case topP = "top_p"
    }

    /// Writes the object `response`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(head.answer.responseID, forKey: .id)
        try container.encode("response", forKey: .object)
        try container.encode(head.created, forKey: .createdAt)
        try container.encode(state.name, forKey: .status)
        try container.encode(false, forKey: .background)
        try encodeEnd(to: &container)
        try container.encode(head.instructions, forKey: .instructions)
        try container.encode(head.settings.maxTokens, forKey: .maxOutputTokens)
        try container.encode(head.model, forKey: .model)
        try container.encode(items, forKey: .output)
        try container.encode(head.tools?.isParallel ?? true, forKey: .parallelToolCalls)
        try container.encode(head.previous?.responseID, forKey: .previousResponseID)
        try container.encode(head.isStored, forKey: .store)
        try container.encode(head.settings.temperature, forKey: .temperature)
        var form = container.nestedContainer(keyedBy: Key.self, forKey: .text)
        try form.encode(WrittenFormat(head.format), forKey: .format)
        try container.encode(WrittenChoice(head.tools?.choice), forKey: .toolChoice)
        let functions = head.tools?.functions ?? []
        try container.encode(functions.map { WrittenFunction(function: $0) }, forKey: .tools)
        try container.encode(head.settings.topP, forKey: .topP)
        try container.encode("disabled", forKey: .truncation)
        _ = container.nestedContainer(keyedBy: Key.self, forKey: .metadata)
    }

    private func encodeEnd(to container: inout KeyedEncodingContainer<Key>) throws {
        var usage: ResponseUsage?
        var isCut = false
        if case .ended(let end, let used) = state {
            usage = used.map { ResponseUsage(usage: $0) }
            isCut = end == .length
        }
        if case .failed(let error) = state {
            var body = container.nestedContainer(keyedBy: Key.self, forKey: .error)
            try body.encode(
                error.kind == .requests ? "rate_limit_exceeded" : "server_error",
                forKey: .code
            )
            try body.encode(error.message, forKey: .message)
        } else {
            try container.encodeNil(forKey: .error)
        }
        if isCut {
            var details = container.nestedContainer(keyedBy: Key.self, forKey: .incompleteDetails)
            try details.encode("max_output_tokens", forKey: .reason)
        } else {
            try container.encodeNil(forKey: .incompleteDetails)
        }
        try container.encode(usage, forKey: .usage)
    }

    /// The output: the answer's text and calls, once there is something or it has ended.
    private var items: [ResponseItem] {
        var output = ResponseOutput(head.tools)
        _ = output.append(piece) + output.finish()
        if output.items.isEmpty, case .ended = state { output.addEmptyMessage() }
        return output.items.enumerated().map { index, content in
            let isLast = index == output.items.count - 1
            let status = isLast ? itemStatus : .completed
            return ResponseItem(answer: head.answer, index, content, status)
        }
    }

    private var itemStatus: ResponseItem.Status {
        switch state {
        case .queued, .inProgress: .inProgress
        case .ended(let end, _): ResponseItem.Status(end)
        case .failed: .incomplete
        }
    }
}

/// `text.format` of a response.
private struct WrittenFormat: Encodable {
    let type: String
    var name: String?
    var schema: JSONValue?
    var strict: Bool?

    init(_ format: AnswerFormat?) {
        switch format?.constraint {
        case .jsonSchema(let text):
            type = "json_schema"
            name = format?.name
            schema = try? JSONValue(parsing: Array(text.utf8))
            strict = format?.isStrict
        case .jsonObject: type = "json_object"
        case .pattern, .calls, nil: type = "text"
        }
    }
}

/// The tokens used, in the words of responses.
private struct ResponseUsage: Encodable {
    let usage: TokenUsage

    private enum Key: String, CodingKey {
        case input = "input_tokens"
        case inputDetails = "input_tokens_details"
        case cached = "cached_tokens"
        case cacheWrite = "cache_write_tokens"
        case output = "output_tokens"
        case outputDetails = "output_tokens_details"
        case reasoning = "reasoning_tokens"
        case total = "total_tokens"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(usage.promptTokens, forKey: .input)
        var input = container.nestedContainer(keyedBy: Key.self, forKey: .inputDetails)
        try input.encode(usage.cachedTokens, forKey: .cached)
        try input.encode(usage.promptTokens - usage.cachedTokens, forKey: .cacheWrite)
        try container.encode(usage.completionTokens, forKey: .output)
        var output = container.nestedContainer(keyedBy: Key.self, forKey: .outputDetails)
        try output.encode(usage.thinkingTokens ?? 0, forKey: .reasoning)
        try container.encode(usage.promptTokens + usage.completionTokens, forKey: .total)
    }
}

/// The reply to `DELETE /v1/responses/ID`.
public struct DeletedResponse: Sendable, Encodable {
    let id: String
    let object = "response"
    let deleted = true

    /// - Parameter answer: the answer that was the response.
    public init(_ answer: MessageID) { id = answer.responseID }
}
