// Whether other servers work on the same data directory. They may: each is a node of its own on the database
// there. Who starts one by mistake shall learn of it.

import EventLoop
import Glibc

/// A server's share in the lock of its data directory, for as long as this value lives. The kernel takes it
/// back however the process ends.
struct DataDirectoryLock: ~Copyable {
    /// Whether another server had the directory first.
    let isShared: Bool
    private let descriptor: FileDescriptor

    /// Takes a share, and makes the directory where it is missing.
    /// - Parameter folder: the data directory.
    /// - Throws: `StartupError` where it cannot be made or written.
    init(_ folder: String) throws(StartupError) {
        try Self.make(folder)
        let path = "\(folder)/servers.lock"
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw Self.failure(path) }
        // Alone for a moment: only then has nobody else a share.
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

    /// Makes a folder with its parents. PostgreSQL's user may be another and has to pass through.
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
