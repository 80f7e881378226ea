// Runs whose earlier attempts ended without text may be what crashed their servers. They begin one after the
// other, so that one cannot end another's attempt.

public import ChatProtocol

/// The quarantined runs of a node: at most one is at work and has not shown text yet.
public struct Quarantine: Sendable, Hashable {
    /// The run whose first text is awaited.
    public private(set) var current: MessageID?
    /// Those that wait for it, in the order of their claims.
    public private(set) var waiting: [MessageID] = []

    /// Nobody is quarantined.
    public init() {}

    /// Takes a quarantined run.
    /// - Returns: whether it may begin now; else `release` names it when its turn has come.
    public mutating func admit(_ message: MessageID) -> Bool {
        guard let current, current != message else {
            self.current = message
            return true
        }
        if !waiting.contains(message) { waiting.append(message) }
        return false
    }

    /// A run got on, or is not this node's any more. It need not be quarantined.
    /// - Returns: the run that may begin now.
    public mutating func release(_ message: MessageID) -> MessageID? {
        waiting.removeAll { $0 == message }
        guard current == message else { return nil }
        current = waiting.isEmpty ? nil : waiting.removeFirst()
        return current
    }
}
