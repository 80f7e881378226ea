// Messages for chat templates.

public import Checkpoints

/// One message of a conversation.
public struct ChatMessage: Sendable, Equatable {
    /// The role: "system", "user" or "assistant". Templates omit unknown roles, or write them as
    /// they are. Set by the program, never by a user.
    public var role: String
    /// The content, which is not trusted.
    public var content: String
    /// The tools of a system message as JSON text, if the template supports tools.
    public var tools: String?
    /// The calls of an answer as JSON text, without the tokens around them; nil for none. Only for
    /// templates with a `ToolForm`.
    public var calls: String?

    /// Creates a message.
    public init(role: String, content: String, tools: String? = nil, calls: String? = nil) {
        self.role = role
        self.content = content
        self.tools = tools
        self.calls = calls
    }

    /// Whether the role is a plain word, which cannot end or start a special token.
    var hasPlainRole: Bool {
        role.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
    }
}

/// A segment of a rendered prompt.
public struct ChatSegment: Sendable, Equatable {
    /// The origin of a segment.
    public enum Source: Sendable, Equatable {
        /// The template; special tokens in it are parsed.
        case scaffold
        /// A message; special tokens in it are plain text.
        case content
    }

    /// The text in the prompt.
    public var text: String
    /// Its origin.
    public var source: Source
    /// The message whose loop iteration wrote it; nil for text around the messages.
    public var message: Int?
}

/// A conversation as tokens.
public struct EncodedChat: Sendable, Equatable {
    /// The prompt.
    public var tokens: [TokenID]
    /// The number of `tokens` of each message, including the template's text for it; 0 for a
    /// message that the template omits. Other tokens are around the messages: the generation
    /// prompt, or the end of the conversation.
    public var messageTokenCounts: [Int]
}
