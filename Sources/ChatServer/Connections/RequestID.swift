/// What log lines call a request, so that all that belongs to it can be found.
struct RequestID: CustomStringConvertible {
    /// The connection that it came by, counted from the server's start; one that becomes a WebSocket
    /// counts anew.
    let connection: Int
    /// Its number there: over a WebSocket the client's own, over HTTP the how manieth it is.
    let number: Int64

    /// Such as `17-3`.
    var description: String { "\(connection)-\(number)" }
}
