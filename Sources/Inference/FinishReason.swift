// The ways in which an answer ends well.

/// Why an answer ended.
public enum FinishReason: String, Codable, Sendable, Hashable {
    /// The model ended its turn, or a stop string came.
    case stop
    /// The token limit of the request or the context's end.
    case length
    /// Somebody cancelled it, or the engine shuts down.
    case stopped
    /// The request's deadline passed.
    case deadline
}
