// A run that a node has claimed. The node holds the queue row under a lease, and no database lock
// while the model computes. The transaction that stores the answer's final state deletes the row.
// QueueStore.swift claims runs; Transaction+Queue.swift claims those that need not be queued.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// A run that this node may execute until its lease ends.
public struct ClaimedRun: Sendable {
    /// The answer.
    public let message: MessageID
    /// The conversation.
    public let conversation: ConversationID
    /// This attempt.
    public let run: RunID
    /// 1 for the first attempt; more if earlier attempts ended without text.
    public let attempt: Int
    /// Whether an earlier run of this answer was claimed.
    public let isRestart: Bool
    /// The number of the event that created the answer.
    public let createdN: Int64
    /// When the question was stored.
    public let queuedAt: Timestamp
    /// The trace of the question; nil if it is part of none.
    public let trace: QueuedTrace?
    /// What it starts from, if it is the answer's first run: then the claim has counted the attempt.
    /// Nil after an earlier claim; `RunStore.begin` counts the attempt then.
    let start: RunStart?
}
