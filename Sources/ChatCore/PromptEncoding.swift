// What a prompt builder needs from a model's tokenizer and chat template.

public import ChatProtocol
import ThinkingText

/// A message of a prompt.
public struct PromptMessage: Sendable, Hashable {
    /// The message's id; nil for the system prompt and for a summary.
    public var id: MessageID?
    /// The summary's id; nil for everything else.
    public var summary: SummaryID?
    /// `system`, `user` or `assistant`, or `tool` for the result of a call.
    public var role: String
    /// The text.
    public var text: String
    /// The functions that the model may call, as its template takes them; only of the system prompt.
    public var tools: String?
    /// The calls of an answer as JSON text; only for models whose template knows tools.
    public var calls: String?
    /// The author's name; nil for text without an author.
    public var author: String?
    /// The name that `text` begins with; nil if it begins with none.
    public var speaker: String?

    /// Creates a message.
    public init(
        id: MessageID?,
        summary: SummaryID? = nil,
        role: String,
        text: String,
        author: String? = nil
    ) {
        self.author = author
        self.id = id
        self.summary = summary
        self.role = role
        self.text = text
    }

    /// Creates a stored message of a conversation. An answer's thinking part is left out.
    public init(id: MessageID?, role: String, stored body: String, author: String?) {
        let text = role == "assistant" ? ThinkingParts.answer(of: body) : body
        self.init(id: id, role: role, text: text, author: author)
    }

    /// The message without its thinking part, if it is an answer with one.
    public var withoutThinking: PromptMessage {
        PromptMessage(id: id, role: role, stored: text, author: author)
    }

    /// Creates the message of a system prompt.
    /// - Parameters:
    ///   - systemPrompt: the text; may be empty.
    ///   - tools: the functions that the model may call, as its template takes them.
    public init(systemPrompt: String, tools: String?) {
        self.init(id: nil, role: "system", text: systemPrompt)
        self.tools = tools
    }
}

/// Tokenizes messages with a model's chat template, template and contents separately.
public protocol PromptEncoding: Sendable {
    /// The tokens of `messages` followed by the start of the answer.
    /// - Returns: all tokens, and the number of tokens of each message.
    func encode(_ messages: [PromptMessage]) -> (tokens: [Int32], messageTokenCounts: [Int])

    /// Encodes messages one by one; nil if a message's tokens depend on its neighbours.
    var parts: (any PromptPartEncoding)? { get }
}

/// Tokenizes one message at a time. `opening`, the tokens of all messages in order, and `closing`
/// make the tokens of the whole prompt.
public protocol PromptPartEncoding: Sendable {
    /// Tokens before all messages.
    var opening: [Int32] { get }
    /// Tokens after all messages: the start of the answer.
    var closing: [Int32] { get }
    /// Whether a message's tokens depend on whether it is the first or the last.
    var dependsOnPosition: Bool { get }

    /// The tokens of a message.
    /// - Returns: nil if they depend on its neighbours.
    func encode(_ message: PromptMessage, isFirst: Bool, isLast: Bool) -> [Int32]?

    /// A lower bound of a text's number of tokens, without encoding it.
    func tokenCountMin(of text: String) -> Int
}
