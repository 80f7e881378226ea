// What the connections of a loop have in common.

/// The side, limits and compression states of connections. They share it, so that an idle one holds
/// little.
public final class WebSocketSettings {
    let role: WebSocketConnection.Role
    let limits: WebSocketLimits
    let states: CompressionStates?

    /// Creates settings of connections that use the loop's `states`, if there are any, for
    /// compressed messages without context.
    public init(
        role: WebSocketConnection.Role,
        limits: WebSocketLimits = WebSocketLimits(),
        states: CompressionStates? = nil
    ) {
        self.role = role
        self.limits = limits
        self.states = states
    }
}
