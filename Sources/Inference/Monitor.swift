// A value protected by a lock with a condition variable: Swift's `Mutex` has none.

import Glibc

/// A simple monitor: every change wakes all waiters, which check their condition again.
///
/// Safety: `state` is only accessed while `mutex` is locked.
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
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        defer { pthread_condattr_destroy(&attributes) }
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Reads the state.
    func read<Result>(_ body: (State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(state)
    }

    /// Changes the state and wakes all waiters.
    func update<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let result = try body(&state)
        pthread_cond_broadcast(changed)
        return result
    }

    /// Waits until `isReady`, for at most `limit`, then changes the state like `update`.
    func update<Result>(
        when isReady: (State) -> Bool,
        orAfter limit: Duration? = nil,
        _ body: (inout State) -> Result
    ) -> Result {
        let end = limit.map(Self.time)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(state), wait(until: end) {}
        let result = body(&state)
        pthread_cond_broadcast(changed)
        return result
    }

    /// Waits for a change.
    /// - Returns: false on a timeout.
    private func wait(until end: timespec?) -> Bool {
        guard var end else {
            pthread_cond_wait(changed, mutex)
            return true
        }
        return pthread_cond_timedwait(changed, mutex, &end) != ETIMEDOUT
    }

    /// The deadline after `duration`, at most a day, on the clock of `changed`.
    private static func time(after duration: Duration) -> timespec {
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(86_400)).components
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        time.tv_sec += Int(seconds)
        time.tv_nsec += Int(attoseconds / 1_000_000_000)
        if time.tv_nsec >= 1_000_000_000 {
            time.tv_sec += 1
            time.tv_nsec -= 1_000_000_000
        }
        return time
    }
}
