// What a prompt builder asks of a model's tokenizer and chat template.

public import ChatProtocol

/// A message on its way into a prompt.
public struct PromptMessage: Sendable, Hashable {
    /// Which message; nil for the system prompt and for a summary.
    public var id: MessageID?
    /// Which summary it is; nil for everything else.
    public var summary: SummaryID?
    /// `system`, `user` or `assistant`.
    public var role: String
    /// What it says.
    public var text: String
    /// What whoever wrote it is called; nil for what nobody wrote.
    public var author: String?
    /// The name that `text` begins with; nil where it names nobody.
    public var speaker: String?

    /// Puts a message together.
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
}

/// Turns messages into tokens, scaffold and contents apart, as a model's chat template says.
public protocol PromptEncoding: Sendable {
    /// The tokens of `messages` followed by the opening of the answer.
    /// - Returns: all tokens, and how many of them each message takes.
    func encode(_ messages: [PromptMessage]) -> (tokens: [Int32], messageTokenCounts: [Int])

    /// The same for one message at a time; nil where a message's tokens depend on its neighbours.
    var parts: (any PromptPartEncoding)? { get }
}

/// Turns one message at a time into tokens. Between `opening` and `closing`, the tokens of messages
/// one after the other are those of all of them at once.
public protocol PromptPartEncoding: Sendable {
    /// What stands before all messages.
    var opening: [Int32] { get }
    /// What stands behind them: the opening of the answer.
    var closing: [Int32] { get }
    /// Whether a message's tokens depend on its being the first or the last.
    var dependsOnPosition: Bool { get }

    /// The tokens of a message.
    /// - Returns: nil where they depend on its neighbours.
    func encode(_ message: PromptMessage, isFirst: Bool, isLast: Bool) -> [Int32]?

    /// Fewer tokens than this a text never takes; told without encoding it.
    func tokenCountMin(of text: String) -> Int
}
