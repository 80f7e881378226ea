// The thread of a loop.

import CLinux
import Glibc
import Synchronization

/// The thread of a running loop. The loop keeps running if this object is released.
public final class EventLoopThread: Sendable {
    /// Submits work to the loop.
    public let remote: EventLoopRemote

    private let thread: Mutex<pthread_t?>
    private let failure: LoopFailure

    init(thread: pthread_t, remote: EventLoopRemote, failure: LoopFailure) {
        self.thread = Mutex(thread)
        self.remote = remote
        self.failure = failure
    }

    deinit {
        thread.withLock { thread in
            if let thread { pthread_detach(thread) }
        }
    }

    /// Blocks the calling thread until the loop's thread has ended. Do not call it on a loop.
    /// Several threads may call it, also repeatedly.
    /// - Returns: the error that ended the loop, or nil if it was stopped.
    @discardableResult
    public func join() -> SystemError? {
        precondition(!remote.isCurrent, "a loop cannot wait for its own end")
        // The lock is held while joining, so that a second caller waits for the first.
        thread.withLock { running in
            if let thread = running { pthread_join(thread, nil) }
            running = nil
        }
        return failure.error
    }
}

/// The error that ended a loop.
final class LoopFailure: Sendable {
    private let stored = Mutex<SystemError?>(nil)

    var error: SystemError? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
