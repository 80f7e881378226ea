import Gateway

/// Figures of a server's WebSockets, counted on its loop in plain numbers.
final class SocketFigures {
    /// The phase of a WebSocket.
    enum Phase: String, CaseIterable {
        /// Not authenticated yet.
        case opening
        case signedIn = "signed_in"
        /// A reader with a share link.
        case reader
    }

    /// Number of WebSockets by phase.
    var count: [Phase: Int] = [:]
    /// Messages from clients: requests.
    var messagesReceived = 0
    /// Messages to clients: replies and events, counted once per client.
    var messagesSent = 0
    /// Control frames, and why WebSockets ended.
    let frames = WebSocketFigures()

    /// Number of WebSockets.
    var total: Int { count.values.reduce(0, +) }
}
