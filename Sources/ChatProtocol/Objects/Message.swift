// A message as members see it, and the states of an answer.

/// Who speaks in a message.
public enum MessageRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// A person.
    case user
    /// The model.
    case assistant
}

/// Where a message is in its life: `queued -> streaming -> complete | stopped | failed`. What a
/// person writes is `complete` at once.
public enum MessageState: String, Codable, Hashable, Sendable, CaseIterable {
    /// The answer waits for an engine.
    case queued
    /// The answer grows.
    case streaming
    /// The text is whole.
    case complete
    /// Someone ended the answer early; its text is kept.
    case stopped
    /// The engine failed; the text up to then is kept.
    case failed

    /// Whether the text will not change any more.
    public var isFinal: Bool {
        switch self {
        case .complete, .stopped, .failed: true
        case .queued, .streaming: false
        }
    }
}

/// Why an answer ended.
public enum FinishReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// The model said that it is done.
    case stop
    /// The longest allowed answer was reached.
    case length
    /// A person stopped it.
    case stopped
    /// The engine failed.
    case error
}

/// What an answer cost.
public struct Usage: Codable, Hashable, Sendable {
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Tokens of the prompt that did not have to be read again.
    public var cachedTokens: Int
    /// Tokens of the answer.
    public var completionTokens: Int
    /// From the start of the run to its first token, in milliseconds.
    public var timeToFirstTokenMilliseconds: Double
    /// The answer's pace after its first token.
    public var tokensPerSecond: Double
    /// Tokens that it is charged with: those of the prompt that were read, and those of the answer.
    public var chargedTokens: Int?

    /// Puts figures together.
    public init(
        promptTokens: Int,
        cachedTokens: Int,
        completionTokens: Int,
        timeToFirstTokenMilliseconds: Double,
        tokensPerSecond: Double,
        chargedTokens: Int? = nil
    ) {
        self.promptTokens = promptTokens
        self.cachedTokens = cachedTokens
        self.completionTokens = completionTokens
        self.timeToFirstTokenMilliseconds = timeToFirstTokenMilliseconds
        self.tokensPerSecond = tokensPerSecond
        self.chargedTokens = chargedTokens
    }

    enum CodingKeys: String, CodingKey {
        case promptTokens = "prompt_tokens"
        case cachedTokens = "cached_tokens"
        case completionTokens = "completion_tokens"
        case timeToFirstTokenMilliseconds = "time_to_first_token_ms"
        case tokensPerSecond = "tokens_per_second"
        case chargedTokens = "charged_tokens"
    }
}

/// A message: a node of the conversation's tree.
public struct Message: Codable, Hashable, Sendable {
    /// Which.
    public var id: MessageID
    /// Where.
    public var conversation: ConversationID
    /// The message that this one follows; nil for a first message.
    public var parent: MessageID?
    /// Who speaks.
    public var role: MessageRole
    /// The person who wrote it; nil for an answer, and for whoever has no account here.
    public var author: User?
    /// What somebody without an account here was called where they wrote it: it was imported.
    public var authorName: String?
    /// The text so far.
    public var text: String
    /// Where it is in its life.
    public var state: MessageState
    /// The run that writes or wrote it.
    public var run: RunID?
    /// When it was made.
    public var createdAt: Timestamp
    /// Why it ended, once it has.
    public var finish: FinishReason?
    /// What it cost, once it has ended.
    public var usage: Usage?
    /// What went wrong, where it failed.
    public var error: WireError?
    /// How many older messages the model was not given, where it was any.
    public var droppedMessages: Int?
    /// The answer that this one goes on from: its text is the beginning of this one's.
    public var continues: MessageID?
    /// All messages that stand in this one's place, itself among them, oldest first; nil where it is
    /// the only one.
    public var siblings: [MessageID]?
    /// What members think of the answer, where somebody said so.
    public var feedback: [Feedback]?
    /// The members whom the question names, where it names any; never its author.
    public var mentions: [User]?
    /// How many older messages it was given as a summary, where it was any.
    public var summarizedMessages: Int?

    /// Puts a message together.
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
