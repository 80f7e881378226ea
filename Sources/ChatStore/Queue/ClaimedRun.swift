// What an answer is made from. Its row of the queue is held under a lease; no lock is held while a model
// computes; the row leaves with the answer's final state. Claims stand in QueueStore.swift.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// An answer that this node may make until its lease ends.
public struct ClaimedRun: Sendable {
    /// The answer.
    public let message: MessageID
    /// Where.
    public let conversation: ConversationID
    /// This attempt.
    public let run: RunID
    /// 1 for the first attempt; more where earlier ones ended before they got on with the answer.
    public let attempt: Int
    /// Whether an earlier run of this answer was claimed.
    public let isRestart: Bool
    /// The number of the event that created the answer.
    public let createdN: Int64
}
