// Requests and replies without fields.

/// `ping`, `model.list` and other operations without fields.
public struct EmptyRequest: Codable, Sendable {
    /// Creates a request.
    public init() {}
}

/// The reply of operations that return nothing.
public struct EmptyReply: Codable, Sendable {
    /// Creates a reply.
    public init() {}
}
