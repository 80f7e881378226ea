// Notices of a listener for the log.

public import EventLoop

/// A state change of a listener.
public enum ListenerNotice: Hashable, Sendable {
    /// The limit of streams is reached: new connections wait until some have closed.
    case full(streamCount: Int)
    /// Accepting has paused, since no descriptors or memory are left.
    case exhausted(SystemError)
    /// Accepting has resumed.
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

/// Limits the rate of notices: a server at its limit pauses and resumes all the time.
public struct NoticeRateLimit {
    /// The minimum interval between notices of the same kind.
    private static let quietPeriod: Duration = .seconds(10)

    private var lastPause: ContinuousClock.Instant?
    private var lastEnd: ContinuousClock.Instant?

    /// Creates a rate limiter.
    public init() {}

    /// Whether to log `notice` now; records it if so.
    public mutating func allows(_ notice: ListenerNotice, at now: ContinuousClock.Instant) -> Bool {
        let last = notice == .resumed ? lastEnd : lastPause
        if let last, now - last < Self.quietPeriod { return false }
        if notice == .resumed { lastEnd = now } else { lastPause = now }
        return true
    }
}
