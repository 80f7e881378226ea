// An answer in the queue, as its asker sees it.

/// How urgent an answer is. An interactive one begins before any other that waits.
public enum MessagePriority: String, Codable, Hashable, Sendable, CaseIterable {
    /// Somebody sits before it.
    case interactive
    /// It may take its time.
    case batch
}

/// An answer of the asker's that waits or grows.
public struct Generation: Codable, Hashable, Sendable {
    /// Where.
    public var conversation: ConversationID
    /// What that is called.
    public var title: String
    /// The answer.
    public var message: MessageID
    /// `queued` or `streaming`.
    public var state: MessageState
    /// How urgent it is; nil for the server's own work.
    public var priority: MessagePriority?
    /// When it was asked.
    public var queuedAt: Timestamp
    /// Its place while it waits, 1 for the next one to start.
    public var position: Int?
    /// In how many seconds it will begin, as far as can be told.
    public var eta: Double?

    /// Puts an entry together.
    public init(
        conversation: ConversationID,
        title: String,
        message: MessageID,
        state: MessageState,
        priority: MessagePriority?,
        queuedAt: Timestamp,
        position: Int? = nil,
        eta: Double? = nil
    ) {
        self.conversation = conversation
        self.title = title
        self.message = message
        self.state = state
        self.priority = priority
        self.queuedAt = queuedAt
        self.position = position
        self.eta = eta
    }

    enum CodingKeys: String, CodingKey {
        case conversation, title, message, state, priority, position, eta
        case queuedAt = "queued_at"
    }
}

/// The reply of `generation.list`.
public struct GenerationListReply: Codable, Sendable {
    /// The asker's answers that wait or grow, in the order of asking.
    public var generations: [Generation]

    /// Puts a reply together.
    public init(generations: [Generation]) {
        self.generations = generations
    }
}
