// Of operations that take or reply nothing.

/// `ping`, `model.list` and other operations without fields.
public struct EmptyRequest: Codable, Sendable {
    /// Creates a request.
    public init() {}
}

/// The reply of operations that have nothing to say but that it is done.
public struct EmptyReply: Codable, Sendable {
    /// Creates a reply.
    public init() {}
}
