// What a pool of workers answers where it cannot work.

/// Why a pool did not take a piece of work.
public enum WorkerPoolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// As much waits already as the pool allows.
    case busy
    /// The pool was stopped.
    case stopped

    /// One line for a log.
    public var description: String {
        switch self {
        case .busy: "the worker pool's queue is full"
        case .stopped: "the worker pool has stopped"
        }
    }
}
