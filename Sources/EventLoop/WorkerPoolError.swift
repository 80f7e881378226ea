// Errors of worker pools.

/// Why a pool refused a piece of work.
public enum WorkerPoolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The queue is full.
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
