// The thread of a loop, as the rest of the program holds it.

import CLinux
import Glibc
import Synchronization

/// A running loop's thread. The loop goes on where this value is dropped.
public final class EventLoopThread: Sendable {
    /// Hands work to the loop.
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

    /// Waits, blocking the calling thread, until the loop's thread has ended. Not to be called on a
    /// loop; can be called by several threads, and again.
    /// - Returns: the failure that ended the loop, or nil where it was stopped.
    @discardableResult
    public func join() -> SystemError? {
        precondition(!remote.isCurrent, "a loop cannot wait for its own end")
        // Held while joining, so that a second caller waits for the first.
        thread.withLock { running in
            if let thread = running { pthread_join(thread, nil) }
            running = nil
        }
        return failure.error
    }
}

/// Why a loop ended by itself.
final class LoopFailure: Sendable {
    private let stored = Mutex<SystemError?>(nil)

    var error: SystemError? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
