// A handle for a timer.

/// Identifies a timer, for cancelling it.
public struct TimerToken {
    /// Only a reference, since tokens are copied on hot paths, even just to check whether there is
    /// one.
    private let entry: TimerEntry

    init(_ entry: TimerEntry) { self.entry = entry }

    /// Cancels the timer and releases its action. Does nothing if it has fired.
    public func cancel() { entry.cancel() }
}
