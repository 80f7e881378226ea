// A client that closes its connection before it has its response.

/// Whether the client of a request has left. Lives on the connection's loop.
final class ClientDeparture {
    /// Whether it has.
    private(set) var hasLeft = false
    private var onLeave: () -> Void = {}

    /// Calls `action` once: when the client leaves, or now if it has left.
    func notify(_ action: @escaping () -> Void) {
        if hasLeft { action() } else { onLeave = action }
    }

    /// The client has left.
    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        onLeave()
        onLeave = {}
    }
}
