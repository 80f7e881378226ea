// A run as its claim reads it. Its queue row is held under a lease; no lock is held while a model computes; the
// row is deleted with the commit of the answer's final state. Claims are in QueueStore.swift.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// A run that this node may execute until its lease ends.
public struct ClaimedRun: Sendable {
    /// The answer.
    public let message: MessageID
    /// Where.
    public let conversation: ConversationID
    /// This attempt.
    public let run: RunID
    /// 1 for the first attempt; more where earlier ones ended without text.
    public let attempt: Int
    /// Whether an earlier run of this answer was claimed.
    public let isRestart: Bool
    /// The number of the event that created the answer.
    public let createdN: Int64
}
