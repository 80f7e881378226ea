// The ways in which an answer ends well.

/// Why an answer ended.
public enum GenerateStopReason: Sendable, Hashable {
    /// The model ended its turn, or the program's callback said so.
    case stop
    /// `maxTokens` or the context's end.
    case length
    /// The task that generates was cancelled.
    case cancelled
}
