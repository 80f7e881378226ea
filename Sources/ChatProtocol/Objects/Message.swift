// A message as members see it, and the states of an answer.

/// The role of a message's author.
public enum MessageRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// A person.
    case user
    /// The model.
    case assistant
}

/// A message's state: `queued -> streaming -> complete | stopped | failed`. A user's message is
/// `complete` at once.
public enum MessageState: String, Codable, Hashable, Sendable, CaseIterable {
    /// The answer is queued.
    case queued
    /// The answer is being generated.
    case streaming
    /// The text is complete.
    case complete
    /// A user stopped the answer; it has the text up to then.
    case stopped
    /// The engine failed; the answer has the text up to then.
    case failed

    /// Whether the text is final.
    public var isFinal: Bool {
        switch self {
        case .complete, .stopped, .failed: true
        case .queued, .streaming: false
        }
    }
}

/// Why an answer ended.
public enum FinishReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// The model ended the answer.
    case stop
    /// The answer reached its maximum length.
    case length
    /// A user stopped it.
    case stopped
    /// The engine failed.
    case error
}

/// Token usage of an answer.
public struct Usage: Codable, Hashable, Sendable {
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Prompt tokens found in the KV cache.
    public var cachedTokens: Int
    /// Tokens of the answer.
    public var completionTokens: Int
    /// From the start of the run to its first token, in milliseconds.
    public var timeToFirstTokenMilliseconds: Double
    /// Tokens per second after the first token.
    public var tokensPerSecond: Double
    /// Tokens charged: prompt tokens that were computed, and tokens of the answer.
    public var chargedTokens: Int?
    /// The maximum length of the answer, in tokens, if a budget shortened it.
    public var shortenedTo: Int?
    /// Tokens of the thinking part, which `completionTokens` includes; nil without one, and if the
    /// engine does not tell.
    public var thinkingTokens: Int?
    /// How long the model thought before it answered, in milliseconds; nil if it did not.
    public var thinkingMilliseconds: Double?

    /// Creates the figures.
    public init(
        promptTokens: Int,
        cachedTokens: Int,
        completionTokens: Int,
        timeToFirstTokenMilliseconds: Double,
        tokensPerSecond: Double,
        chargedTokens: Int? = nil,
        shortenedTo: Int? = nil
    ) {
        self.promptTokens = promptTokens
        self.cachedTokens = cachedTokens
        self.completionTokens = completionTokens
        self.timeToFirstTokenMilliseconds = timeToFirstTokenMilliseconds
        self.tokensPerSecond = tokensPerSecond
        self.chargedTokens = chargedTokens
        self.shortenedTo = shortenedTo
    }

    enum CodingKeys: String, CodingKey {
        case promptTokens = "prompt_tokens"
        case cachedTokens = "cached_tokens"
        case completionTokens = "completion_tokens"
        case timeToFirstTokenMilliseconds = "time_to_first_token_ms"
        case tokensPerSecond = "tokens_per_second"
        case chargedTokens = "charged_tokens"
        case shortenedTo = "shortened_to"
        case thinkingTokens = "thinking_tokens"
        case thinkingMilliseconds = "thinking_ms"
    }
}

/// A message: a node of the conversation's tree.
public struct Message: Codable, Hashable, Sendable {
    /// The message's id.
    public var id: MessageID
    /// The conversation.
    public var conversation: ConversationID
    /// The parent message; nil for a first message.
    public var parent: MessageID?
    /// The author's role.
    public var role: MessageRole
    /// The author; nil for an answer, and for an author without an account here.
    public var author: User?
    /// The author's name in the system that the message was imported from, if they have no account
    /// here.
    public var authorName: String?
    /// The text so far.
    public var text: String
    /// Its state.
    public var state: MessageState
    /// The run that generates or generated it.
    public var run: RunID?
    /// When it was created.
    public var createdAt: Timestamp
    /// Why it ended, if it has.
    public var finish: FinishReason?
    /// Its token usage, if it has ended.
    public var usage: Usage?
    /// The error, if it failed.
    public var error: WireError?
    /// Number of older messages left out of the prompt, if any.
    public var droppedMessages: Int?
    /// The answer that this one continues: its text is the beginning of this one's.
    public var continues: MessageID?
    /// The message and its siblings, oldest first; nil if it has none.
    public var siblings: [MessageID]?
    /// Members' feedback on the answer, if any.
    public var feedback: [Feedback]?
    /// Members mentioned in the question, if any; never its author.
    public var mentions: [User]?
    /// Number of older messages that the prompt included as a summary, if any.
    public var summarizedMessages: Int?

    /// Creates a message.
    public init(
        id: MessageID,
        conversation: ConversationID,
        parent: MessageID?,
        role: MessageRole,
        author: User?,
        text: String,
        state: MessageState,
        run: RunID? = nil,
        createdAt: Timestamp,
        finish: FinishReason? = nil,
        usage: Usage? = nil,
        error: WireError? = nil,
        droppedMessages: Int? = nil,
        summarizedMessages: Int? = nil,
        continues: MessageID? = nil,
        siblings: [MessageID]? = nil,
        feedback: [Feedback]? = nil,
        authorName: String? = nil,
        mentions: [User]? = nil
    ) {
        self.id = id
        self.conversation = conversation
        self.parent = parent
        self.role = role
        self.author = author
        self.authorName = authorName
        self.text = text
        self.state = state
        self.run = run
        self.createdAt = createdAt
        self.finish = finish
        self.usage = usage
        self.error = error
        self.droppedMessages = droppedMessages
        self.continues = continues
        self.siblings = siblings
        self.feedback = feedback
        self.mentions = mentions
        self.summarizedMessages = summarizedMessages
    }

    enum CodingKeys: String, CodingKey {
        case id, conversation, parent, role, author, text, state, run, finish, usage, error
        case continues, siblings, feedback, mentions
        case authorName = "author_name"
        case createdAt = "created_at"
        case droppedMessages = "dropped_messages"
        case summarizedMessages = "summarized_messages"
    }
}
