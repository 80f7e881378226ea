// Commits of one conversation come back from several database connections, so event 8 may arrive
// before event 7. This value delivers events in order, without gaps or duplicates.

/// Orders the durable events of one conversation by number.
public struct EventOrder<Event> {
    /// The number of the last delivered event.
    public private(set) var last: Int64
    private var waiting: [Int64: Event] = [:]

    /// - Parameter last: the number of the last event that all subscribers have.
    public init(last: Int64) {
        self.last = last
    }

    /// Whether an event is held back because an earlier one is missing.
    public var hasGap: Bool { !waiting.isEmpty }

    /// Adds event number `n`.
    /// - Returns: the events that can be delivered now, in order. An event that was delivered
    ///   before is dropped.
    public mutating func receive(_ n: Int64, _ event: Event) -> [Event] {
        guard n > last else { return [] }
        waiting[n] = event
        var ready: [Event] = []
        while let next = waiting.removeValue(forKey: last + 1) {
            ready.append(next)
            last += 1
        }
        return ready
    }
}
