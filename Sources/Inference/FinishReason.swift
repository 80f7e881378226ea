// Finish reasons.

/// Why an answer ended.
public enum FinishReason: String, Codable, Sendable, Hashable {
    /// The model ended its turn, or a stop string was found.
    case stop
    /// The token limit of the request or the context length was reached.
    case length
    /// It was cancelled, or the engine shuts down.
    case stopped
    /// The request's deadline passed.
    case deadline
}
