// A conversation as a chat template sees it.

public import Checkpoints

/// One message of a conversation.
public struct ChatMessage: Sendable, Equatable {
    /// Who speaks: "system", "user" or "assistant". Templates leave out roles that they don't know,
    /// or write them as they are. Decided by the program, never by a user.
    public var role: String
    /// What is said; anything at all.
    public var content: String
    /// The tools that a system message offers, as JSON text, where the template knows tools.
    public var tools: String?

    /// A message.
    public init(role: String, content: String, tools: String? = nil) {
        self.role = role
        self.content = content
        self.tools = tools
    }

    /// Whether the role is a word that cannot end or begin a special token.
    var hasPlainRole: Bool {
        role.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
    }
}

/// A stretch of a rendered prompt.
public struct ChatSegment: Sendable, Equatable {
    /// Where a stretch comes from.
    public enum Source: Sendable, Equatable {
        /// From the template; special tokens in it are meant.
        case scaffold
        /// From a message; special tokens in it are just text.
        case content
    }

    /// The text as it stands in the prompt.
    public var text: String
    /// Where it comes from.
    public var source: Source
    /// The message in whose turn of the loop it was written; nil for what the template writes around
    /// all messages.
    public var message: Int?
}

/// A conversation as tokens.
public struct EncodedChat: Sendable, Equatable {
    /// The prompt.
    public var tokens: [TokenID]
    /// How many of `tokens` belong to each message, its scaffolding included; 0 for a message that
    /// the template leaves out. The rest of `tokens` stands around the messages: the generation
    /// prompt, or what ends the conversation.
    public var messageTokenCounts: [Int]
}
