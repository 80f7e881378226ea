// What a listener tells of itself, for a log.

public import EventLoop

/// A change in what a listener does.
public enum ListenerNotice: Hashable, Sendable {
    /// It takes no more connections until some of so many have closed: those that come wait.
    case full(streamCount: Int)
    /// It pauses, as the process has no descriptors, or the system no memory, left.
    case exhausted(SystemError)
    /// It takes connections again.
    case resumed
}

extension ListenerNotice: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .full(let count): "no more connections are accepted: \(count) are open"
        case .exhausted(let error): "no more connections are accepted: \(error.reason)"
        case .resumed: "connections are accepted again"
        }
    }
}

/// Lets notices of a kind be said every so often: a server at its limit pauses and goes on all the time.
public struct NoticePace {
    /// How long a notice of a kind is not said again.
    private static let quietPeriod: Duration = .seconds(10)

    private var lastPause: ContinuousClock.Instant?
    private var lastEnd: ContinuousClock.Instant?

    /// A pace at which nothing was said yet.
    public init() {}

    /// Whether `notice` is to be said; it is taken as said then.
    public mutating func lets(_ notice: ListenerNotice, at now: ContinuousClock.Instant) -> Bool {
        let last = notice == .resumed ? lastEnd : lastPause
        if let last, now - last < Self.quietPeriod { return false }
        if notice == .resumed { lastEnd = now } else { lastPause = now }
        return true
    }
}
