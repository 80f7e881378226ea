// The record of what a model was given for one answer. Everything that was left out is in it.

public import ChatProtocol

/// What a model was given for one answer.
public struct PromptReceipt: Sendable, Hashable {
    /// The current version of this format.
    public static let currentVersion = 4
    /// The first version whose prompts have no thinking parts.
    public static let firstWithoutThinking = 4

    /// A part of the prompt: a message, a summary, or the system prompt.
    public struct Entry: Codable, Sendable, Hashable {
        /// The message; nil for other parts.
        public var message: MessageID?
        /// The summary; nil for other parts.
        public var summary: SummaryID?
        /// The author's name in the prompt; nil if the prompt names no authors.
        public var author: String?
        /// Number of tokens, including those of the template.
        public var tokens: Int

        /// Creates an entry. Without message and summary it is the system prompt.
        public init(
            message: MessageID? = nil,
            summary: SummaryID? = nil,
            author: String? = nil,
            tokens: Int
        ) {
            self.message = message
            self.summary = summary
            self.author = author
            self.tokens = tokens
        }

        /// Creates the entry of a message.
        init(_ message: PromptMessage, tokens: Int) {
            self.init(
                message: message.id,
                summary: message.summary,
                author: message.speaker,
                tokens: tokens
            )
        }
    }

    /// Consecutive messages of the branch that were left out.
    public struct LeftOut: Codable, Sendable, Hashable {
        /// The oldest message; nil if the beginning of a very long branch was not read.
        public var first: MessageID?
        /// The newest message; nil likewise.
        public var last: MessageID?
        /// Number of messages.
        public var count: Int

        /// Creates a range.
        public init(first: MessageID?, last: MessageID?, count: Int) {
            self.first = first
            self.last = last
            self.count = count
        }
    }

    /// Messages at the beginning of the branch that the prompt included as a summary.
    public struct Summarized: Codable, Sendable, Hashable {
        /// The summary.
        public var summary: SummaryID
        /// The last message that it covers.
        public var through: MessageID
        /// Number of messages that it covers.
        public var count: Int
        /// Tokens of the summary, including those of the template.
        public var tokens: Int

        /// Creates a range.
        public init(summary: SummaryID, through: MessageID, count: Int, tokens: Int) {
            self.summary = summary
            self.through = through
            self.count = count
            self.tokens = tokens
        }
    }

    /// The version of the format.
    public var version: Int
    /// The policy for a history that is too long.
    public var policy: ContextPolicy
    /// The version of the system prompt; nil if there was none, and in receipts of version 1.
    public var systemPrompt: SystemPromptVersion?
    /// The parts of the prompt, in order.
    public var entries: [Entry]
    /// Tokens that belong to no entry: the template's start of the answer.
    public var scaffoldTokens: Int
    /// All tokens of the prompt.
    public var promptTokens: Int
    /// Number of messages of the branch that were left out.
    public var droppedMessages: Int
    /// The messages that were left out; nil if none was.
    public var leftOut: LeftOut?
    /// The messages that were included as a summary; nil if none was.
    public var summarized: Summarized?
    /// True if the prompt is the message's text or tokens alone, without a chat template; else nil.
    public var isRaw: Bool?

    /// Creates a receipt of the current version.
    public init(
        policy: ContextPolicy,
        systemPrompt: SystemPromptVersion?,
        entries: [Entry],
        promptTokens: Int,
        leftOut: LeftOut?,
        summarized: Summarized?
    ) {
        version = Self.currentVersion
        self.policy = policy
        self.systemPrompt = systemPrompt
        self.entries = entries
        scaffoldTokens = entries.reduce(promptTokens) { $0 - $1.tokens }
        self.promptTokens = promptTokens
        droppedMessages = leftOut?.count ?? 0
        self.leftOut = leftOut
        self.summarized = summarized
    }
}

extension PromptReceipt: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, policy, entries, summarized
        case isRaw = "raw"
        case systemPrompt = "system_prompt"
        case scaffoldTokens = "scaffold_tokens"
        case promptTokens = "prompt_tokens"
        case droppedMessages = "dropped_messages"
        case leftOut = "left_out"
    }

    /// Reads the current version and older ones; version 1 has no policies, versions and summaries.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(Int.self, forKey: .version)
        policy = try container.decodeIfPresent(ContextPolicy.self, forKey: .policy) ?? .dropOldest
        systemPrompt = try container.decodeIfPresent(
            SystemPromptVersion.self,
            forKey: .systemPrompt
        )
        entries = try container.decode([Entry].self, forKey: .entries)
        promptTokens = try container.decode(Int.self, forKey: .promptTokens)
        scaffoldTokens = entries.reduce(promptTokens) { $0 - $1.tokens }
        droppedMessages = try container.decode(Int.self, forKey: .droppedMessages)
        leftOut = try container.decodeIfPresent(LeftOut.self, forKey: .leftOut)
        summarized = try container.decodeIfPresent(Summarized.self, forKey: .summarized)
        isRaw = try container.decodeIfPresent(Bool.self, forKey: .isRaw)
    }
}
