// What a program's callback says to a growing answer.

/// Whether the answer goes on.
public enum GenerateDisposition: Sendable {
    /// It does, until the model ends it.
    case more
    /// The token that was just shown is the last.
    case stop
}
