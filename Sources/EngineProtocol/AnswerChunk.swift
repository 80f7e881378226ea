// One event of an answer, in the three forms that engines send.

public import JSONText

/// The form of requests and replies.
public enum EngineDialect: Sendable, Hashable, CaseIterable {
    /// `POST /v1/chat/completions`: messages.
    case chat
    /// `POST /v1/completions`: token ids, of vLLM and SGLang.
    case completion
    /// `POST /completion`: token ids, of llama-server.
    case llama
}

/// Why an engine says that an answer ended.
public enum AnswerEnd: Sendable, Hashable {
    case stop
    case length
}

/// The tokens of an answer as the engine counts them.
public struct TokenUsage: Sendable, Hashable {
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Generated tokens.
    public var completionTokens: Int
    /// Tokens of the prompt that were cached.
    public var cachedTokens: Int
    /// Tokens of the thinking part; nil if it does not tell.
    public var thinkingTokens: Int?

    /// Creates a value.
    public init(promptTokens: Int, completionTokens: Int, cachedTokens: Int = 0) {
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
        self.cachedTokens = cachedTokens
    }
}

/// One event of an answer.
public struct AnswerChunk: Sendable, Hashable {
    /// The text that it adds.
    public var text = ""
    /// The text that it adds to the thinking part, from a field of its own.
    public var thinking = ""
    /// Why the answer ended, if it did.
    public var end: AnswerEnd?
    /// The tokens so far, if it tells.
    public var usage: TokenUsage?
    /// Whether the engine says that the context is full.
    public var isContextFull = false

    /// Limits of an event's JSON: flat objects of a few members.
    private static let limits = JSONLimits(
        byteCountMax: EventStreamDecoder.byteCountMaxDefault,
        depthMax: 16,
        valueCountMax: 1 << 18
    )

    /// Creates a chunk.
    public init(text: String = "", end: AnswerEnd? = nil, usage: TokenUsage? = nil) {
        self.text = text
        self.end = end
        self.usage = usage
    }

    /// Reads an event's data.
    /// - Throws: `.reported` for a failure that the engine tells, `.aborted`, or `.malformed`.
    public init(_ data: [UInt8], _ dialect: EngineDialect) throws(EngineFault) {
        let json = try Self.parse(data)
        if let message = Self.errorMessage(json) { throw .reported(message) }
        switch dialect {
        case .chat, .completion: try self.init(openAI: json, isChat: dialect == .chat)
        case .llama: try self.init(llama: json)
        }
    }

    private static func parse(_ data: [UInt8]) throws(EngineFault) -> JSONValue {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: data, limits: limits) } catch {
            throw .malformed("an event is not JSON: \(error)".bounded)
        }
        guard json.object != nil else {
            throw .malformed("an event is \(json.kindName) instead of an object")
        }
        return json
    }

    // MARK: OpenAI's forms

    private init(openAI json: JSONValue, isChat: Bool) throws(EngineFault) {
        guard let choices = json["choices"]?.array, choices.count <= 1 else {
            throw .malformed("an event has not one choice")
        }
        usage = try Self.usage(json["usage"])
        guard let choice = choices.first else { return }
        guard choice["index"]?.integer ?? 0 == 0 else {
            throw .malformed("an event is of another choice than the first")
        }
        let content = isChat ? choice["delta"]?["content"] : choice["text"]
        switch content {
        case nil, .null?: break
        case .string(let text)?: self.text = text
        case let other?: throw .malformed("an answer's text is \(other.kindName)")
        }
        if isChat { thinking = try Self.thinking(choice["delta"]) }
        end = try Self.end(choice["finish_reason"])
    }

    /// `reasoning_content` of DeepSeek, vLLM and llama-server; `reasoning` of newer vLLM and Ollama.
    private static func thinking(_ delta: JSONValue?) throws(EngineFault) -> String {
        switch delta?["reasoning_content"] ?? delta?["reasoning"] {
        case nil, .null?: return delta?["reasoning"]?.string ?? ""
        case .string(let text)?: return text
        case let other?: throw .malformed("what an answer thought is \(other.kindName)")
        }
    }

    private static func end(_ reason: JSONValue?) throws(EngineFault) -> AnswerEnd? {
        switch reason {
        case nil, .null?: nil
        case .string("stop")?: .stop
        case .string("length")?: .length
        case .string("abort")?: throw .aborted
        case .string(let other)?: throw .malformed("an answer ends with “\(other.bounded)”")
        case let other?: throw .malformed("an answer ends with \(other.kindName)")
        }
    }

    private static func usage(_ json: JSONValue?) throws(EngineFault) -> TokenUsage? {
        guard let json, !json.isNull else { return nil }
        guard let prompt = json["prompt_tokens"]?.integer,
            let completion = json["completion_tokens"]?.integer
        else { throw .malformed("the usage has no numbers of tokens") }
        var usage = TokenUsage(
            promptTokens: prompt,
            completionTokens: completion,
            cachedTokens: json["prompt_tokens_details"]?["cached_tokens"]?.integer ?? 0
        )
        let thinking = json["completion_tokens_details"]?["reasoning_tokens"]?.integer
        // An engine that does not tell them apart may send 0.
        usage.thinkingTokens = thinking.flatMap { (1...max(1, completion)).contains($0) ? $0 : nil }
        return usage
    }

    // MARK: llama-server's form

    private init(llama json: JSONValue) throws(EngineFault) {
        guard let text = json["content"]?.string, let isEnd = json["stop"]?.bool else {
            throw .malformed("an event has no content, or does not say whether it is the last")
        }
        self.text = text
        guard isEnd else { return }
        let isAtLimit = json["stop_type"]?.string == "limit" || json["stopped_limit"]?.bool == true
        end = isAtLimit ? .length : .stop
        if let prompt = json["tokens_evaluated"]?.integer,
            let completion = json["tokens_predicted"]?.integer
        {
            // `tokens_cached` is what the slot holds at the end, not what the prompt found there.
            let cached = json["timings"]?["cache_n"]?.integer ?? 0
            usage = TokenUsage(
                promptTokens: prompt,
                completionTokens: completion,
                cachedTokens: cached
            )
        }
        guard json["truncated"]?.bool == true else { return }
        isContextFull = true
        // The slot holds all tokens but the last one, unless it dropped some to go on.
        guard let held = json["tokens_cached"]?.integer, let usage else { throw Self.leftOut }
        let all = usage.promptTokens.addingReportingOverflow(usage.completionTokens)
        guard !all.overflow, held >= all.partialValue - 1 else { throw Self.leftOut }
    }

    // MARK: Errors

    /// The engine dropped a part of the prompt.
    static let leftOut = EngineFault.reported(
        "it left out the middle of the prompt: its context is too small"
    )

    /// The message of an error object, as a document or as an event; nil if it is none.
    public static func errorMessage(_ json: JSONValue) -> String? {
        switch json["error"] {
        case nil, .null?: break
        case .string(let text)?: return text.bounded
        case let error?: return (error["message"]?.string ?? "an error without a message").bounded
        }
        // Of older versions of vLLM, and of FastAPI.
        if json["object"]?.string == "error" { return (json["message"]?.string ?? "").bounded }
        return json["detail"]?.string?.bounded
    }

    /// The message of an event of the type `error`.
    static func reportedMessage(_ data: [UInt8]) -> String {
        let json = try? JSONValue(parsing: data, limits: limits)
        return json.flatMap(errorMessage) ?? json?["message"]?.string?.bounded
            ?? String(decoding: data.prefix(200), as: UTF8.self).bounded
    }

    /// The fault that a status and a body tell.
    public static func fault(
        status: Int,
        retryAfter: String?,
        body: [UInt8]
    ) -> EngineFault {
        let json = try? JSONValue(parsing: body, limits: limits)
        let message =
            json.flatMap(errorMessage) ?? String(decoding: body.prefix(200), as: UTF8.self).bounded
        let seconds = retryAfter.flatMap { Int($0) }.map { min(max(0, $0), 3600) }
        return switch status {
        case 300..<400: .redirected(status: status)
        case 401, 403: .unauthorized(status: status)
        case 404: .notFound(message)
        case 429: .busy(status: status, retryAfter: seconds)
        case 503: .busy(status: status, retryAfter: seconds)
        case 400..<500: .refused(status: status, message)
        case 500...: .failed(status: status, message)
        default: .malformed("status \(status)")
        }
    }
}
