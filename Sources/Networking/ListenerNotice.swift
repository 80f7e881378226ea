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
