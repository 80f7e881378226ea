// Events of a client connection.

/// One step of a response. `.response`, then `.body` zero or more times, then `.end`.
public enum HTTPClientEvent: Sendable, Hashable {
    /// A 1xx response; the final one follows.
    case informational(HTTPResponseHead)
    /// The final response's head.
    case response(HTTPResponseHead)
    /// The next bytes of the body as received; never empty.
    case body([UInt8])
    /// The response is complete.
    case end
    /// The server has switched protocols; `remaining` are the bytes received in the new one.
    /// Follows `.response` with status 101 and is the last event.
    case upgrade(remaining: [UInt8])
}
