// Events of a server connection.

/// One step of a request. `.request`, then `.body` zero or more times, then `.end`.
public enum HTTPServerEvent: Sendable, Hashable {
    /// A request's head has arrived. The response may be sent from here on.
    case request(HTTPRequestHead)
    /// The next bytes of the body as received; never empty.
    case body([UInt8])
    /// The request is complete.
    case end
    /// 101 was sent and the connection has switched protocols; `remaining` are the bytes received
    /// in the new one. The last event.
    case upgrade(remaining: [UInt8])
}
