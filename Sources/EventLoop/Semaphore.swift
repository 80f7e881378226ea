// A counting semaphore, for threads that have no loop to wait on.

import Glibc

// Safety: sem_t is made for use by many threads at once; its place is fixed and freed at the end only.
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
