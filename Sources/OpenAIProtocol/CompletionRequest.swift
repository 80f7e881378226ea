// What requests of OpenAI's API for answers have in common.

public import ChatCore

/// A request for answers.
public protocol CompletionRequest: Sendable {
    /// What it asks for beyond the settings of conversations.
    var options: CompletionOptions { get }
    /// The field that names the form of the answers.
    var formatField: String { get }
    /// The field that says how much the model thinks.
    var thinkingField: String { get }
    /// Whether the answers are sent while they grow.
    var isStreamed: Bool { get }
    /// The client's name for its own user, for the server's log.
    var endUser: String? { get }
}

extension ChatCompletionRequest: CompletionRequest {}
extension TextCompletionRequest: CompletionRequest {
    /// None of this request: `response_format` of others.
    public var formatField: String { "response_format" }
    /// None of this request either.
    public var thinkingField: String { "max_thinking_tokens" }
}
