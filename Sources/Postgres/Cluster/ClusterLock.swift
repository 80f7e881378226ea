// The locks by which processes agree on who starts and who stops the cluster. They are flock(2)
// locks: the kernel drops them with the process, however it ends.

import Glibc

/// An open lock file.
struct ClusterLock: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private let path: String

    /// Opens the lock file, making it where it is missing. Every opened lock is a lock of its own,
    /// even within one process.
    init(_ path: String, account: ClusterAccount) throws(ClusterError) {
        let opened = try OwnedDescriptor(opening: path, O_RDWR | O_CREAT)
        try account.takeOwnership(of: path)
        self.path = path
        descriptor = opened
    }

    /// Waits for the lock, for others to share.
    func lockShared() throws(ClusterError) { try lock(LOCK_SH) }

    /// Waits for the lock, for us alone.
    func lockExclusive() throws(ClusterError) { try lock(LOCK_EX) }

    /// Takes the lock for us alone if nobody else holds it. A shared lock of ours is lost either
    /// way.
    func tryLockExclusive() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

    /// Gives the lock up.
    func unlock() { _ = flock(descriptor.number, LOCK_UN) }

    private func lock(_ kind: Int32) throws(ClusterError) {
        while flock(descriptor.number, kind) != 0 {
            guard errno == EINTR else {
                throw .system(operation: "lock", path: path, errno: errno)
            }
        }
    }
}
