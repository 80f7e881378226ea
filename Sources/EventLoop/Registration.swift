// A handle on what a loop watches.

/// One descriptor's registration with a loop.
public struct Registration {
    private let loop: EventLoop
    private let key: Poller.Key

    init(loop: EventLoop, key: Poller.Key) {
        self.loop = loop
        self.key = key
    }

    /// Changes what the handler is told. Nothing happens after `cancel()`.
    /// - Throws: where epoll refuses, such as for a descriptor that was closed.
    public func update(_ interest: Interest) throws(SystemError) {
        try loop.update(key, interest)
    }

    /// Has what is ready told once more, where the interest is in `edges`.
    /// - Throws: where epoll refuses, such as for a descriptor that was closed.
    public func rearm() throws(SystemError) { try loop.rearm(key) }

    /// Ends the registration: the handler is let go and is not called again, not even for an event of
    /// the present turn. Can be called twice.
    public func cancel() { loop.cancel(key) }
}
