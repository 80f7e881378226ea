// A queued answer, as the fair queue uses it.

public import ChatProtocol
public import FoundationEssentials

/// Priorities: no answer of a later one starts while one of an earlier one can.
public enum QueuePriority: Int16, Sendable, Hashable, CaseIterable {
    /// A user waits for it.
    case interactive = 0
    /// It need not start soon: a script, an evaluation.
    case batch = 1
    /// The server's own work, such as summaries.
    case background = 2
}

/// An answer in the queue.
public struct QueuedAnswer: Sendable, Hashable {
    /// The answer.
    public let message: MessageID
    /// The conversation.
    public let conversation: ConversationID
    /// The user who requested it.
    public let user: UserID
    /// The user's team; nil for users without one, who form a team together.
    public let team: UUID?
    /// The priority.
    public let priority: QueuePriority
    /// The number of its request; unique and increasing.
    public let position: Int64
    /// Expected tokens of the prompt.
    public var promptTokens: Int
    /// Expected tokens of the answer.
    public var answerTokens: Int
    /// The conversation's model.
    public var model: String
    /// The node that generated the conversation's last answer, and may still have its prompt in the
    /// KV cache.
    public var warmNode: UUID?
    /// Whether an earlier run was interrupted because its node died or shut down: it had its turn,
    /// and subscribers wait for the rest of its text.
    public var hasBegun: Bool
    /// Whether its last attempt ended without text, so that it may be what its node died of: a node
    /// runs one such answer at a time.
    public var needsQuarantine: Bool
    /// Whether it need not wait for earlier answers of its conversation, such as the answers of one
    /// request of OpenAI's API, which do not read each other.
    public var isIndependent: Bool

    /// Creates an entry.
    public init(
        message: MessageID,
        conversation: ConversationID,
        user: UserID,
        team: UUID? = nil,
        priority: QueuePriority = .interactive,
        position: Int64,
        promptTokens: Int,
        answerTokens: Int,
        model: String = "",
        warmNode: UUID? = nil,
        hasBegun: Bool = false,
        needsQuarantine: Bool = false,
        isIndependent: Bool = false
    ) {
        self.message = message
        self.conversation = conversation
        self.user = user
        self.team = team
        self.priority = priority
        self.position = position
        self.promptTokens = promptTokens
        self.answerTokens = answerTokens
        self.model = model
        self.warmNode = warmNode
        self.hasBegun = hasBegun
        self.needsQuarantine = needsQuarantine
        self.isIndependent = isIndependent
    }

    /// Answers of the same line start one after the other.
    var line: UUID { isIndependent ? message.uuid : conversation.uuid }

    /// Its charge: the tokens that an engine computes for it; at least one.
    public var tokens: Int { max(1, promptTokens + answerTokens) }
}
