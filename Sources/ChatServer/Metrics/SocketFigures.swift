import Gateway

/// What the WebSockets of a server carry, counted on its loop in plain numbers.
final class SocketFigures {
    /// How far a WebSocket is.
    enum Phase: String, CaseIterable {
        /// It has not said whose it is.
        case opening
        case signedIn = "signed_in"
        /// It reads by a link.
        case reader
    }

    /// How many WebSockets there are of each kind.
    var count: [Phase: Int] = [:]
    /// Messages from clients: requests.
    var messagesReceived = 0
    /// Messages to clients: replies and events, each counted for each client.
    var messagesSent = 0
    /// Control frames, and how WebSockets ended.
    let frames = WebSocketFigures()

    /// How many WebSockets there are.
    var total: Int { count.values.reduce(0, +) }
}
