// An answer in the queue, as the user who requested it sees it.

/// An answer's priority. Interactive answers start before batch answers.
public enum MessagePriority: String, Codable, Hashable, Sendable, CaseIterable {
    /// A user waits for it.
    case interactive
    /// It need not start soon.
    case batch
}

/// A queued or running answer of the user.
public struct Generation: Codable, Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The conversation's title.
    public var title: String
    /// The answer.
    public var message: MessageID
    /// `queued` or `streaming`.
    public var state: MessageState
    /// Its priority; absent for the server's own work.
    public var priority: MessagePriority?
    /// When it was requested.
    public var queuedAt: Timestamp
    /// Its queue position, 1 for the next one to start.
    public var position: Int?
    /// Estimated seconds until it starts; absent if unknown.
    public var eta: Double?

    /// Creates an entry.
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
    /// The user's queued and running answers, in the order of their requests.
    public var generations: [Generation]

    /// Creates a reply.
    public init(generations: [Generation]) {
        self.generations = generations
    }
}
