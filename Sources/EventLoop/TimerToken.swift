// A handle on what a loop does later.

/// Names a timer, to cancel it.
public struct TimerToken {
    /// A reference alone: tokens are copied on hot paths, if only to see whether there is one.
    private let entry: TimerEntry

    init(_ entry: TimerEntry) { self.entry = entry }

    /// Forgets the timer and lets its action go. Nothing happens where it has fired.
    public func cancel() { entry.loop?.timers.remove(entry) }
}
