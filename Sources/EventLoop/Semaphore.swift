// A counting semaphore for threads without a loop.

import Glibc

// Safety: sem_t is designed for use by many threads; its address is fixed, and it is freed only at
// the end.
/// A counting semaphore. `wait` blocks its thread: never call it on a loop.
final class Semaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }
}
