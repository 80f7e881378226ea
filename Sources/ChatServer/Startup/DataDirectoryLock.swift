// Detects other servers on the same data directory. They are allowed: each is a node on the
// database there. But whoever starts one by mistake must learn of it.

import EventLoop
import Glibc

/// A server's shared lock on its data directory, held as long as this value lives. The kernel
/// releases it however the process ends.
struct DataDirectoryLock: ~Copyable {
    /// Whether another server already holds the lock.
    let isShared: Bool
    private let descriptor: FileDescriptor

    /// Takes a shared lock, and creates the directory if it is missing.
    /// - Parameter folder: the data directory.
    /// - Throws: `StartupError` if it cannot be created or written.
    init(_ folder: String) throws(StartupError) {
        try Self.make(folder)
        let path = "\(folder)/servers.lock"
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw Self.failure(path) }
        // An exclusive lock succeeds only if no other server holds a shared one.
        let isAlone = flock(number, LOCK_EX | LOCK_NB) == 0
        while flock(number, LOCK_SH) != 0 {
            if errno == EINTR { continue }
            let error = Self.failure(path)
            close(number)
            throw error
        }
        isShared = !isAlone
        descriptor = FileDescriptor(owning: number)
    }

    /// Creates a folder with its parents. PostgreSQL may run as another user, who must be able to
    /// enter them.
    private static func make(_ folder: String) throws(StartupError) {
        if mkdir(folder, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex
        else { throw failure(folder) }
        try make(String(folder[..<slash]))
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw failure(folder) }
    }

    private static func failure(_ path: String) -> StartupError {
        let reason = String(cString: strerror(errno))
        return StartupError(.cannotCreate, "cannot write to the data directory: \(path): \(reason)")
    }
}
