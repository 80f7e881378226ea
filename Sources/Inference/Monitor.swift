// A value under a lock, with a condition to wait on: Swift's `Mutex` has no condition.

import Glibc

/// Hoare's monitor, reduced: every change wakes all waiters, who look again.
///
/// Safety: `state` is touched between lock and unlock of `mutex` only.
final class Monitor<State: Sendable>: @unchecked Sendable {
    private var state: State
    // Allocated, because a pthread object must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ state: State) {
        self.state = state
        mutex.initialize(to: pthread_mutex_t())
        changed.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Looks at the state.
    func read<Result>(_ body: (State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(state)
    }

    /// Changes the state and wakes all who wait for a change.
    func update<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let result = try body(&state)
        pthread_cond_broadcast(changed)
        return result
    }

    /// Waits until `isReady`, then changes the state as `update` does.
    func update<Result>(
        when isReady: (State) -> Bool,
        _ body: (inout State) -> Result
    ) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(state) { pthread_cond_wait(changed, mutex) }
        let result = body(&state)
        pthread_cond_broadcast(changed)
        return result
    }
}
