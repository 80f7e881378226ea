// Slots that a node offers to a transaction that queues answers: it claims an answer for which one is free,
// so that the answer needs no other commit before it starts. docs/decisions/0043-claims-by-the-transaction-of-the-turn.md

public import ChatCore
public import FoundationEssentials

/// Free slots of a node on which no queued answer waits.
public struct FreeSlots: Sendable {
    /// The node.
    public let node: UUID
    /// The duration of the leases.
    public let lease: Duration
    /// The number of slots.
    public internal(set) var count: Int
    /// The models whose answers the node can start now.
    public let models: ModelFilter

    /// Creates an offer.
    public init(node: UUID, lease: Duration, count: Int, models: ModelFilter) {
        self.node = node
        self.lease = lease
        self.count = count
        self.models = models
    }

    /// Whether an answer in a conversation starts in one of them.
    func suit(_ answers: LockedConversation.Answers) -> Bool {
        // Another node may have the conversation in its KV cache: the queue gives it the first chance.
        count > 0 && models.allows(answers.model) && (answers.warmNode ?? node) == node
    }
}
