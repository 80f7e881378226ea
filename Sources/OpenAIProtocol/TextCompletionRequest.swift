// The body of `POST /v1/completions`.
// https://platform.openai.com/docs/api-reference/completions/create

public import ChatCore
public import ChatProtocol
import JSONText

/// A request for texts that continue prompts, without a chat template.
public struct TextCompletionRequest: Sendable, Hashable {
    /// A prompt.
    public enum Prompt: Sendable, Hashable {
        /// A text; not empty.
        case text(String)
        /// The ids of tokens; not empty.
        case tokens([Int32])
    }

    /// The model.
    public var model: String
    /// The prompts; not empty.
    public var prompts: [Prompt]
    /// The number of answers to each prompt.
    public var answerCount: Int
    /// How the answers are generated.
    public var settings: GenerationSettings
    /// What it asks for beyond them.
    public var options: CompletionOptions
    /// Whether an answer's text begins with its prompt.
    public var echoes: Bool
    /// Whether the answers are sent while they grow.
    public var isStreamed: Bool
    /// Whether a stream ends with the tokens used.
    public var includesUsage: Bool
    /// The client's name for its own user, for the server's log.
    public var endUser: String?
}

extension TextCompletionRequest {
    /// Maximum number of answers, to all prompts together.
    public static let choiceCountMax = 16
    /// The length of an answer if the request does not name one, in tokens.
    public static let standardMaxTokens = 16
    /// Maximum number of values in a body: more tokens than any model's context has.
    static let valueCountMax = 1 << 18
    /// The range of `logprobs`.
    static let logprobsRange = 0...5

    package static let fields: Set<String> = [
        "echo", "frequency_penalty", "logit_bias", "logprobs", "max_tokens", "model", "n",
        "presence_penalty", "prompt", "seed", "stop", "stream", "stream_options", "temperature",
        "top_p", "user",
    ]

    /// Fields of OpenAI's API that are not supported, with the values that ask for nothing.
    static let unsupported: [String: @Sendable (JSONValue) -> Bool] = [
        "best_of": { $0.integer == 1 },
        "suffix": { $0.string == "" },
    ]

    /// Reads a request.
    /// - Parameter bytes: the body.
    /// - Throws: `APIError` if it is not JSON, or a field is missing, wrong, or not supported.
    public init(reading bytes: [UInt8]) throws(APIError) {
        let fields = try RequestFields(body: bytes, valueCountMax: Self.valueCountMax)
        try fields.refuseOthers(than: Self.fields, harmless: Self.unsupported)
        model = try fields.model()
        prompts = try Self.prompts(fields.required("prompt"))
        answerCount = try fields.answerCount()
        guard prompts.count * answerCount <= Self.choiceCountMax else {
            throw APIError.invalid(
                answerCount > 1 ? "n" : "prompt",
                "a request has at most \(Self.choiceCountMax) answers"
            )
        }
        settings = try fields.settings(maxTokens: ["max_tokens"])
        settings.maxTokens = settings.maxTokens ?? Self.standardMaxTokens
        options = try fields.options()
        options.topLogprobs = try Self.topLogprobs(fields)
        echoes = try fields.bool("echo") ?? false
        guard !echoes || options.topLogprobs == nil else {
            throw APIError.unsupported(
                "logprobs",
                "this server does not support it with echo: leave one of them out"
            )
        }
        isStreamed = try fields.bool("stream") ?? false
        includesUsage = try fields.includesUsage(isStreamed: isStreamed)
        endUser = try fields.endUser()
    }

    private static func topLogprobs(_ fields: RequestFields) throws(APIError) -> Int? {
        guard let count = try fields.integer("logprobs") else { return nil }
        guard logprobsRange.contains(count) else {
            throw APIError.invalid("logprobs", "it must be 0 to 5")
        }
        return count
    }

    // MARK: Prompts

    /// `prompt` is a text, an array of texts, an array of tokens, or an array of those.
    private static func prompts(_ value: JSONValue) throws(APIError) -> [Prompt] {
        if value.string != nil { return [try prompt(value, at: "prompt")] }
        guard let elements = value.array, !elements.isEmpty else {
            throw APIError.invalid("prompt", Self.expectation, code: "invalid_type")
        }
        if elements[0].integer != nil { return [try prompt(value, at: "prompt")] }
        guard elements.count <= choiceCountMax else {
            throw APIError.invalid("prompt", "it has more than \(choiceCountMax) prompts")
        }
        var prompts: [Prompt] = []
        for (index, element) in elements.enumerated() {
            prompts.append(try prompt(element, at: "prompt[\(index)]"))
        }
        return prompts
    }

    private static let expectation =
        "it must be a text, an array of token ids, or an array of texts or of arrays of token ids"

    private static func prompt(_ value: JSONValue, at place: String) throws(APIError) -> Prompt {
        if let text = value.string {
            guard !text.isEmpty else { throw APIError.invalid(place, "it is empty") }
            guard !text.utf8.contains(0) else {
                throw APIError.invalid(place, "it holds a NUL character")
            }
            return .text(text)
        }
        guard let elements = value.array, !elements.isEmpty else {
            throw APIError.invalid(place, expectation, code: "invalid_type")
        }
        var tokens: [Int32] = []
        for element in elements {
            guard let id = element.integer.flatMap({ Int32(exactly: $0) }), id >= 0 else {
                throw APIError.invalid(place, expectation, code: "invalid_type")
            }
            tokens.append(id)
        }
        return .tokens(tokens)
    }
}
