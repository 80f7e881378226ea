// The result of a token callback.

/// Whether generation continues.
public enum GenerateDisposition: Sendable {
    /// Continue until the model ends the answer.
    case more
    /// End the answer with the token just passed.
    case stop
}
