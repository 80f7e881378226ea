// Commands that take signals as events of their loop. A signal goes to any thread that does not block it,
// so it has to be blocked before the first other thread is made.

/// A command that handles signals itself.
protocol SignalTaking {
    /// The signals that it takes.
    static var signals: [Int32] { get }
}
