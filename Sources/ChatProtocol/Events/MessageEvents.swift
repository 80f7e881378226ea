// The events of messages and of the answers that grow in them.

/// `message.created`, durable.
public struct MessageCreated: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The new message.
    public var message: Message

    /// Puts an event together.
    public init(conversation: ConversationID, n: Int64, message: Message) {
        self.conversation = conversation
        self.n = n
        self.message = message
    }
}

/// `message.queued`: how many answers are before this one and when it will begin, and the model where
/// that is waited for.
public struct MessageQueued: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer that waits.
    public var message: MessageID
    /// 1 for the next one to start.
    public var position: Int
    /// In how many seconds it will begin, as far as can be told; nil where it cannot.
    public var eta: Double?
    /// The model that makes the answer, while it cannot answer yet.
    public var model: Model?

    /// Puts an event together.
    public init(
        conversation: ConversationID,
        message: MessageID,
        position: Int,
        eta: Double? = nil,
        model: Model? = nil
    ) {
        self.conversation = conversation
        self.message = message
        self.position = position
        self.eta = eta
        self.model = model
    }
}

/// `message.started`: an engine has the prompt.
public struct MessageStarted: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The run that writes it.
    public var run: RunID
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Tokens of it that need not be read again.
    public var cachedTokens: Int
    /// How many older messages the model was not given.
    public var droppedMessages: Int
    /// How many older messages it was given as a summary; nil for none.
    public var summarizedMessages: Int?

    /// Puts an event together.
    public init(
        conversation: ConversationID,
        message: MessageID,
        run: RunID,
        promptTokens: Int,
        cachedTokens: Int,
        droppedMessages: Int,
        summarizedMessages: Int? = nil
    ) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.promptTokens = promptTokens
        self.cachedTokens = cachedTokens
        self.droppedMessages = droppedMessages
        self.summarizedMessages = summarizedMessages
    }

    enum CodingKeys: String, CodingKey {
        case conversation, message, run
        case promptTokens = "prompt_tokens"
        case cachedTokens = "cached_tokens"
        case droppedMessages = "dropped_messages"
        case summarizedMessages = "summarized_messages"
    }
}

/// `message.progress`: how much of the prompt has been read.
public struct MessageProgress: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// Tokens read.
    public var done: Int
    /// Tokens to read in all.
    public var total: Int

    /// Puts an event together.
    public init(conversation: ConversationID, message: MessageID, done: Int, total: Int) {
        self.conversation = conversation
        self.message = message
        self.done = done
        self.total = total
    }
}

/// `message.restarted`: a new run goes on with the answer. What a reader has of it up to byte `at` holds;
/// what came after is void, and comes again.
public struct MessageRestarted: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The new run.
    public var run: RunID
    /// Where it goes on, in UTF-8 bytes of the answer; 0 where it begins anew.
    public var at: Int

    /// Puts an event together.
    public init(conversation: ConversationID, message: MessageID, run: RunID, at: Int) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.at = at
    }
}

/// `message.delta`: the text of an answer between two offsets.
public struct MessageDelta: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// Its run.
    public var run: RunID
    /// Where `text` begins, in UTF-8 bytes of the answer.
    public var at: Int
    /// Where it ends.
    public var to: Int
    /// The text between. It never splits a character.
    public var text: String

    /// Puts an event together.
    public init(
        conversation: ConversationID,
        message: MessageID,
        run: RunID,
        at: Int,
        to: Int,
        text: String
    ) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.at = at
        self.to = to
        self.text = text
    }
}

/// `message.completed`, `message.stopped` and `message.failed`, durable: the answer's end.
public struct MessageEnded: Codable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The answer.
    public var message: MessageID
    /// The run that ended.
    public var run: RunID
    /// The final text's length, in UTF-8 bytes.
    public var to: Int
    /// The final text's SHA-256, in lower-case hexadecimal digits.
    public var sha256: String
    /// The final text, where the event is told again later.
    public var text: String?
    /// What the answer cost; nil where it never started.
    public var usage: Usage?
    /// Why it ended.
    public var finish: FinishReason
    /// What went wrong, where it failed.
    public var error: WireError?
    /// How fast it ended, where somebody stopped it and this is told for the first time.
    public var stop: StopReport?

    /// Puts an event together.
    public init(
        conversation: ConversationID,
        n: Int64,
        message: MessageID,
        run: RunID,
        to: Int,
        sha256: String,
        text: String? = nil,
        usage: Usage?,
        finish: FinishReason,
        error: WireError? = nil
    ) {
        self.conversation = conversation
        self.n = n
        self.message = message
        self.run = run
        self.to = to
        self.sha256 = sha256
        self.text = text
        self.usage = usage
        self.finish = finish
        self.error = error
    }
}

/// How fast an answer ended that somebody stopped.
public struct StopReport: Codable, Hashable, Sendable {
    /// From the request's arrival to the engine's slot being free, in milliseconds.
    public var latencyMilliseconds: Double

    /// Puts a report together.
    public init(latencyMilliseconds: Double) {
        self.latencyMilliseconds = latencyMilliseconds
    }

    enum CodingKeys: String, CodingKey {
        case latencyMilliseconds = "latency_ms"
    }
}
