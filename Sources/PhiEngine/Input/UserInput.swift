// A program's input, before tokenization.

/// One message as a dictionary: "role" and "content", both strings; an answer may have "tool_calls", in
/// OpenAI's form.
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

    /// An image. The models take text alone, so it has no values: programs for both can name it, and
    /// pass none.
    public enum Image: Sendable, Hashable {}
    /// A video; see `Image`.
    public enum Video: Sendable, Hashable {}
    /// Sound; see `Image`.
    public enum Audio: Sendable, Hashable {}

    /// The conversation.
    public var prompt: Prompt
    /// The tools that the model may call; only for models whose template writes them, which is that of
    /// Phi-4-mini.
    public var tools: [ToolSpec]?
    /// Variables of the template, such as "enable_thinking". The templates of this family have none, so
    /// they change nothing, as in MLX.
    public var additionalContext: [String: any Sendable]?

    /// A single question.
    public init(
        prompt: String,
        images: [Image] = [],
        videos: [Video] = [],
        audios: [Audio] = [],
        tools: [ToolSpec]? = nil,
        additionalContext: [String: any Sendable]? = nil
    ) {
        self.init(
            chat: [.user(prompt)],
            tools: tools,
            additionalContext: additionalContext
        )
    }

    /// A conversation of dictionaries with "role" and "content".
    public init(
        messages: [Message],
        images: [Image] = [],
        videos: [Video] = [],
        audios: [Audio] = [],
        tools: [ToolSpec]? = nil,
        additionalContext: [String: any Sendable]? = nil
    ) {
        self.init(
            prompt: .messages(messages),
            tools: tools,
            additionalContext: additionalContext
        )
    }

    /// A conversation of values.
    public init(
        chat: [Chat.Message],
        tools: [ToolSpec]? = nil,
        additionalContext: [String: any Sendable]? = nil
    ) {
        self.init(prompt: .chat(chat), tools: tools, additionalContext: additionalContext)
    }

    /// A conversation in any form.
    public init(
        prompt: Prompt,
        images: [Image] = [],
        videos: [Video] = [],
        audios: [Audio] = [],
        tools: [ToolSpec]? = nil,
        additionalContext: [String: any Sendable]? = nil
    ) {
        self.prompt = prompt
        self.tools = tools
        self.additionalContext = additionalContext
    }
}
