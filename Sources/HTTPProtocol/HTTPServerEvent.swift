// What a client's bytes mean, in the order in which a server gets to know it.

/// One step of a request. `.request`, then `.body` zero or more times, then `.end`.
public enum HTTPServerEvent: Sendable, Hashable {
    /// A request's head has arrived. The response may be sent from here on.
    case request(HTTPRequestHead)
    /// The next bytes of its body, as they came; never empty.
    case body([UInt8])
    /// The request is complete.
    case end
    /// 101 was sent and the connection belongs to another protocol, for which the client has sent
    /// `remaining` already. Nothing follows.
    case upgrade(remaining: [UInt8])
}
