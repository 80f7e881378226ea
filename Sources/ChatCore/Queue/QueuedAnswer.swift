// A queued answer, as the queue's rules see it.

public import ChatProtocol
public import FoundationEssentials

/// What goes first: nothing of a later kind starts while something of an earlier kind can.
public enum QueuePriority: Int16, Sendable, Hashable, CaseIterable {
    /// Somebody sits before it.
    case interactive = 0
    /// It may take its time: a script's questions, an evaluation.
    case batch = 1
    /// The server's own work, such as summaries.
    case background = 2
}

/// An answer in the queue.
public struct QueuedAnswer: Sendable, Hashable {
    /// The answer.
    public let message: MessageID
    /// Where.
    public let conversation: ConversationID
    /// Who asked.
    public let user: UserID
    /// The asker's team; nil for those without one, who are one team together.
    public let team: UUID?
    /// What kind it is.
    public let priority: QueuePriority
    /// Its number in the order of asking; unique.
    public let position: Int64
    /// How many tokens its prompt is expected to have.
    public var promptTokens: Int
    /// How many tokens the answer is expected to have.
    public var answerTokens: Int
    /// The model that its conversation asks for.
    public var model: String
    /// The node that generated the conversation's last answer, and may still have its prompt in memory.
    public var warmNode: UUID?
    /// Whether an engine had begun with it when its node died or was stopped: its turn has been, and
    /// somebody watches its text stand still.
    public var hasBegun: Bool

    /// Puts an entry together.
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
        hasBegun: Bool = false
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
    }

    /// What it is charged with: the tokens that an engine computes for it; at least one.
    public var tokens: Int { max(1, promptTokens + answerTokens) }
}
