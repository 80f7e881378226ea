// The capacity of an engine, for choosing among engines and for `/metrics`.

/// The limits of an engine and its current load.
public struct EngineCapacity: Sendable, Hashable {
    /// Maximum number of running answers.
    public var slots: Int
    /// Maximum number of requests waiting for a slot.
    public var queueLimit: Int
    /// Maximum number of tokens of prompt and answer together.
    public var contextLength: Int
    /// Running answers.
    public var running: Int
    /// Requests waiting for a slot.
    public var waiting: Int

    /// Creates a capacity.
    public init(slots: Int, queueLimit: Int, contextLength: Int, running: Int, waiting: Int) {
        self.slots = slots
        self.queueLimit = queueLimit
        self.contextLength = contextLength
        self.running = running
        self.waiting = waiting
    }
}
