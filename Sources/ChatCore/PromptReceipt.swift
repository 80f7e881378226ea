// What a model was given for one answer, told so that nobody's history is cut in silence.

public import ChatProtocol

/// What a model was given for one answer.
public struct PromptReceipt: Sendable, Hashable {
    /// The version of this form.
    public static let currentVersion = 3

    /// Something that the model was given: a message, a summary, or the system prompt.
    public struct Entry: Codable, Sendable, Hashable {
        /// Which message; nil for the others.
        public var message: MessageID?
        /// Which summary; nil for the others.
        public var summary: SummaryID?
        /// The name that the message was given with; nil where nobody was named.
        public var author: String?
        /// Its tokens, its part of the scaffold included.
        public var tokens: Int

        /// Puts an entry together. Without message and summary it is the system prompt.
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

        /// The entry of a message as the model was given it.
        init(_ message: PromptMessage, tokens: Int) {
            self.init(
                message: message.id,
                summary: message.summary,
                author: message.speaker,
                tokens: tokens
            )
        }
    }

    /// Messages of the branch, one after the other, that the model was not given.
    public struct LeftOut: Codable, Sendable, Hashable {
        /// The oldest; nil where the branch is so long that its beginning was not read.
        public var first: MessageID?
        /// The newest; nil likewise.
        public var last: MessageID?
        /// How many.
        public var count: Int

        /// Puts a range together.
        public init(first: MessageID?, last: MessageID?, count: Int) {
            self.first = first
            self.last = last
            self.count = count
        }
    }

    /// Messages of the branch, from its first, that a summary stood for.
    public struct Summarized: Codable, Sendable, Hashable {
        /// Which summary.
        public var summary: SummaryID
        /// The last message that it stands for.
        public var through: MessageID
        /// How many messages those are.
        public var count: Int
        /// The summary's own tokens, its part of the scaffold included.
        public var tokens: Int

        /// Puts a range together.
        public init(summary: SummaryID, through: MessageID, count: Int, tokens: Int) {
            self.summary = summary
            self.through = through
            self.count = count
            self.tokens = tokens
        }
    }

    /// The version of the form that this was written in.
    public var version: Int
    /// What was to become of a history that is too long.
    public var policy: ContextPolicy
    /// Which system prompt counted; nil where there was none, and in receipts of version 1.
    public var systemPrompt: SystemPromptVersion?
    /// What the model was given, in order.
    public var entries: [Entry]
    /// The tokens around the entries: the opening of the answer.
    public var scaffoldTokens: Int
    /// All tokens: those of the entries and those around them.
    public var promptTokens: Int
    /// How many messages of the branch were left out.
    public var droppedMessages: Int
    /// Which; nil where none was.
    public var leftOut: LeftOut?
    /// Which messages were given as a summary; nil where none was.
    public var summarized: Summarized?

    /// Puts a receipt of the current form together.
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
        case systemPrompt = "system_prompt"
        case scaffoldTokens = "scaffold_tokens"
        case promptTokens = "prompt_tokens"
        case droppedMessages = "dropped_messages"
        case leftOut = "left_out"
    }

    /// Reads this form and version 1, which did not know policies, versions and summaries.
    /// - Throws: `DecodingError` where it is neither.
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
    }
}
