// A handle on what a loop does later.

/// Names a timer, to cancel it.
public struct TimerToken {
    private weak var loop: EventLoop?
    private let entry: TimerEntry

    init(loop: EventLoop, entry: TimerEntry) {
        self.loop = loop
        self.entry = entry
    }

    /// Forgets the timer and lets its action go. Nothing happens where it has fired.
    public func cancel() { loop?.timers.remove(entry) }
}
