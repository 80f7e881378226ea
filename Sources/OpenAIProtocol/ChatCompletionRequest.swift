// The body of `POST /v1/chat/completions`.
// https://platform.openai.com/docs/api-reference/chat/create

public import ChatCore
public import ChatProtocol
import JSONText

/// A request for an answer to some messages.
public struct ChatCompletionRequest: Sendable, Hashable {
    /// A message before the question.
    public struct Turn: Sendable, Hashable, Codable {
        /// Who wrote it.
        public var role: MessageRole
        /// Its text; never empty, except for the result of a call. An answer's text has its calls, as
        /// `ToolText` writes them.
        public var text: String
        /// Whether it is the result of a call rather than a user's message.
        public var isResult: Bool

        /// Creates a message.
        public init(role: MessageRole, text: String, isResult: Bool = false) {
            self.role = role
            self.text = text
            self.isResult = isResult
        }

        /// Creates the result of a call.
        init(result: String) { self.init(role: .user, text: result, isResult: true) }

        /// The text as it is kept in a conversation.
        /// - Parameter hasTools: whether it is the conversation of a request with tools.
        /// - Returns: the text.
        func stored(hasTools: Bool) -> String {
            hasTools && role == .user ? ToolText(isResult ? .result : .user, text).stored : text
        }
    }

    /// The model.
    public var model: String
    /// The text of the system or developer message; nil if there is none.
    public var system: String?
    /// The messages between that one and the question, with the texts that are kept of them: see
    /// `ToolText` for those of a request with tools.
    public var history: [Turn]
    /// The text of the last message, which is a user's or the result of a call; likewise.
    public var question: String
    /// How the answer is generated; what the request does not name is nil.
    public var settings: GenerationSettings
    /// What it asks for beyond them.
    public var options = CompletionOptions()
    /// OpenAI's word for how much the model thinks; nil for none.
    public var effort: ThinkingEffort?
    /// The field that says how much the model thinks.
    public var thinkingField = "max_thinking_tokens"
    /// The field that names the form of the answers.
    public var formatField = "response_format"
    /// The number of answers.
    public var answerCount = 1
    /// Whether the answer is sent while it grows.
    public var isStreamed: Bool
    /// Whether a stream ends with the tokens used.
    public var includesUsage: Bool
    /// Whether the turn is kept in a conversation of the user; nil if the request does not say.
    public var store: Bool?
    /// The client's name for its own user, for the server's log.
    public var endUser: String?
}

extension ChatCompletionRequest {
    /// Maximum number of messages.
    public static let messageCountMax = 4096
    /// The range of `n`.
    public static let answerCountRange = 1...8

    package static let fields: Set<String> = [
        "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens",
        "max_thinking_tokens", "max_tokens", "messages", "model", "n", "parallel_tool_calls",
        "presence_penalty", "reasoning_effort",
        "response_format",
        "seed", "stop",
        "store", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs",
        "top_p", "user",
    ]

    /// Fields of OpenAI's API that are not supported, with the values that ask for nothing.
    static let unsupported: [String: @Sendable (JSONValue) -> Bool] = [
        "audio": { _ in false },
        "function_call": { $0.string == "none" },
        "functions": { $0.array?.isEmpty == true },
        "metadata": { $0.object?.isEmpty == true },
        "modalities": { $0 == .array([.string("text")]) },
        "moderation": { _ in false },
        "prediction": { _ in false },
        "prompt_cache_key": { _ in false },
        "prompt_cache_options": { _ in false },
        "prompt_cache_retention": { _ in false },
        "safety_identifier": { _ in false },
        "service_tier": { $0.string == "auto" || $0.string == "default" },
        "verbosity": { _ in false },
        "web_search_options": { _ in false },
    ]
}
