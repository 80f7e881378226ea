// Events about messages and answers.

/// `message.created`, durable.
public struct MessageCreated: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The event's number.
    public var n: Int64
    /// The new message.
    public var message: Message

    /// Creates an event.
    public init(conversation: ConversationID, n: Int64, message: Message) {
        self.conversation = conversation
        self.n = n
        self.message = message
    }
}

/// `message.queued`: the answer's queue position and expected start, and the model if the answer
/// waits for it.
public struct MessageQueued: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The queued answer.
    public var message: MessageID
    /// 1 for the next one to start.
    public var position: Int
    /// Estimated seconds until it starts; nil if unknown.
    public var eta: Double?
    /// The model that will generate the answer, while the model is not ready.
    public var model: Model?

    /// Creates an event.
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

/// `message.started`: an engine has received the prompt.
public struct MessageStarted: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The run that generates it.
    public var run: RunID
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Prompt tokens found in the KV cache.
    public var cachedTokens: Int
    /// Number of older messages left out of the prompt.
    public var droppedMessages: Int
    /// Number of older messages included as a summary; nil for none.
    public var summarizedMessages: Int?

    /// Creates an event.
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
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// Tokens read.
    public var done: Int
    /// Tokens to read in total.
    public var total: Int

    /// Creates an event.
    public init(conversation: ConversationID, message: MessageID, done: Int, total: Int) {
        self.conversation = conversation
        self.message = message
        self.done = done
        self.total = total
    }
}

/// `message.restarted`: a new run continues the answer. The text up to byte `at` remains valid;
/// text after it is discarded and will be sent again.
public struct MessageRestarted: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The new run.
    public var run: RunID
    /// Where it continues, in UTF-8 bytes of the answer; 0 if it starts again.
    public var at: Int

    /// Creates an event.
    public init(conversation: ConversationID, message: MessageID, run: RunID, at: Int) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.at = at
    }
}

/// `message.delta`: the text of an answer between two offsets.
public struct MessageDelta: Codable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// Its run.
    public var run: RunID
    /// The start of `text`, in UTF-8 bytes of the answer.
    public var at: Int
    /// The end of `text`.
    public var to: Int
    /// The text between them. It never splits a character.
    public var text: String

    /// Creates an event.
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

/// `message.completed`, `message.stopped` and `message.failed`, durable: the answer ended.
public struct MessageEnded: Codable, Sendable {
    /// The conversation.
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
    /// The final text, if the event is sent again later.
    public var text: String?
    /// The answer's token usage; nil if it never started.
    public var usage: Usage?
    /// Why it ended.
    public var finish: FinishReason
    /// The error, if it failed.
    public var error: WireError?
    /// How fast it was stopped, if it was and the event is sent for the first time.
    public var stop: StopReport?

    /// Creates an event.
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

/// How fast an answer was stopped.
public struct StopReport: Codable, Hashable, Sendable {
    /// From the arrival of the stop request until the engine's slot is free, in milliseconds.
    public var latencyMilliseconds: Double

    /// Creates a report.
    public init(latencyMilliseconds: Double) {
        self.latencyMilliseconds = latencyMilliseconds
    }

    enum CodingKeys: String, CodingKey {
        case latencyMilliseconds = "latency_ms"
    }
}
