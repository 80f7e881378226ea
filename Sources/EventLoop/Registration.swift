// A handle for a registration.

/// One descriptor's registration with a loop.
public struct Registration {
    private let loop: EventLoop
    private let key: Poller.Key

    init(loop: EventLoop, key: Poller.Key) {
        self.loop = loop
        self.key = key
    }

    /// Changes the interest. Does nothing after `cancel()`.
    /// - Throws: `SystemError` if epoll refuses, for example because the descriptor is closed.
    public func update(_ interest: Interest) throws(SystemError) {
        try loop.update(key, interest)
    }

    /// Reports current readiness again, for an interest with `edges`.
    /// - Throws: `SystemError` if epoll refuses, for example because the descriptor is closed.
    public func rearm() throws(SystemError) { try loop.rearm(key) }

    /// Cancels the registration: the handler is released and not called again, not even for an
    /// event of this turn. May be called twice.
    public func cancel() { loop.cancel(key) }
}
