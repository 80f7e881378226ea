/// A request's name in log lines, to find all lines about it.
struct RequestID: CustomStringConvertible {
    /// The number of the connection since the server started; a connection that becomes a WebSocket
    /// gets a new one.
    let connection: Int
    /// The number of the request on the connection: the client's own for a WebSocket, a counter for
    /// HTTP.
    let number: Int64

    /// Such as `17-3`.
    var description: String { "\(connection)-\(number)" }
}
