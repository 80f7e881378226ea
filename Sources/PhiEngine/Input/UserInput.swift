// A program's input, before tokenization.

/// One message as a dictionary: "role" and "content", both strings.
public typealias Message = [String: any Sendable]

/// A question or a conversation for a model.
public struct UserInput: Sendable {
    /// The forms of a conversation.
    public enum Prompt: Sendable, CustomStringConvertible {
        /// One question.
        case text(String)
        /// Messages as dictionaries.
        case messages([Message])
        /// Messages as values.
        case chat([Chat.Message])

        /// The texts, one per line.
        public var description: String {
            switch self {
            case .text(let text): text
            case .messages(let messages): messages.map { "\($0)" }.joined(separator: "\n")
            case .chat(let messages): messages.map(\.content).joined(separator: "\n")
            }
        }
    }

    /// The conversation.
    public var prompt: Prompt

    /// A single question.
    public init(prompt: String) {
        self.prompt = .chat([.user(prompt)])
    }

    /// A conversation of dictionaries with "role" and "content".
    public init(messages: [Message]) {
        prompt = .messages(messages)
    }

    /// A conversation of values.
    public init(chat: [Chat.Message]) {
        prompt = .chat(chat)
    }

    /// A conversation in any form.
    public init(prompt: Prompt) {
        self.prompt = prompt
    }
}
