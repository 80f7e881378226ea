// Locks between processes that start and stop the cluster. They use flock(2): the kernel releases
// them when the process ends.

import Glibc

/// An open lock file.
struct ClusterLock: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let path: String

    /// Opens the lock file, and creates it if it is missing. Each opened lock is independent, even
    /// within a process.
    init(_ path: String, account: ClusterAccount) throws(ClusterError) {
        let opened = try OwnedDescriptor(opening: path, O_RDWR | O_CREAT)
        try account.takeOwnership(of: path)
        self.path = path
        descriptor = opened
    }

    /// Waits for a shared lock.
    func lockShared() throws(ClusterError) { try lock(LOCK_SH) }

    /// Waits for an exclusive lock.
    func lockExclusive() throws(ClusterError) { try lock(LOCK_EX) }

    /// Takes an exclusive lock if no other process has the lock. Our shared lock is lost in both
    /// cases.
    func tryLockExclusive() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

    /// Releases the lock.
    func unlock() { _ = flock(descriptor.number, LOCK_UN) }

    private func lock(_ kind: Int32) throws(ClusterError) {
        while flock(descriptor.number, kind) != 0 {
            guard errno == EINTR else {
                throw .system(operation: "lock", path: path, errno: errno)
            }
        }
    }
}
