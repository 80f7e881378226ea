// Commands that handle signals as events of their loop. The kernel delivers a signal to any thread that
// does not block it, so it must be blocked before other threads are created.

/// A command that handles signals itself.
protocol SignalTaking {
    /// The signals that it handles.
    static var signals: [Int32] { get }
}
