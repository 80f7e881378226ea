// What a server's bytes mean, in the order in which a client gets to know it.

/// One step of a response. `.response`, then `.body` zero or more times, then `.end`.
public enum HTTPClientEvent: Sendable, Hashable {
    /// A 1xx response: the final one is still to come.
    case informational(HTTPResponseHead)
    /// The final response's head.
    case response(HTTPResponseHead)
    /// The next bytes of its body, as they came; never empty.
    case body([UInt8])
    /// The response is complete.
    case end
    /// The server has switched protocols and sent `remaining` in the new one already. It follows
    /// `.response` with status 101; nothing follows it.
    case upgrade(remaining: [UInt8])
}
