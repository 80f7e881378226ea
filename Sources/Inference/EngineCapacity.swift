// How much an engine can take, for those who choose among engines and for `/metrics`.

/// What an engine can do, and how much of that is in use.
public struct EngineCapacity: Sendable, Hashable {
    /// Answers that can grow at the same time.
    public var slots: Int
    /// Requests that may wait for a slot.
    public var queueLimit: Int
    /// Positions that a prompt and its answer may take together.
    public var contextLength: Int
    /// Answers that grow.
    public var running: Int
    /// Requests that wait for a slot.
    public var waiting: Int

    /// What an engine can do, and how much of that is in use.
    public init(slots: Int, queueLimit: Int, contextLength: Int, running: Int, waiting: Int) {
        self.slots = slots
        self.queueLimit = queueLimit
        self.contextLength = contextLength
        self.running = running
        self.waiting = waiting
    }
}
