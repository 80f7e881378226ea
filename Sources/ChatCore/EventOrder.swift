// Commits of one conversation come back from several database connections, so the news of number 8 may
// arrive before that of number 7. This value hands them on in order, without gap or repeat.

/// Puts one conversation's durable events in the order of their numbers.
public struct EventOrder<Event> {
    /// The number of the last event that was handed on.
    public private(set) var last: Int64
    private var waiting: [Int64: Event] = [:]

    /// - Parameter last: the number of the last event that everybody has.
    public init(last: Int64) {
        self.last = last
    }

    /// Whether an event is held back because one before it is missing.
    public var hasGap: Bool { !waiting.isEmpty }

    /// Takes the event with number `n`.
    /// - Returns: the events that can be handed on now, in order. An event that was handed on before
    ///   is dropped.
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
