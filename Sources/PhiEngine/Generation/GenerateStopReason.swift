// The reasons why an answer ends without an error.

/// Why an answer ended.
public enum GenerateStopReason: Sendable, Hashable {
    /// The model ended its turn, or the callback returned `.stop`.
    case stop
    /// `maxTokens` or the end of the context was reached.
    case length
    /// The generating task was cancelled.
    case cancelled
}
