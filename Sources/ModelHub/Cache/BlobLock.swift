// The lock that keeps two pulls, of ours or of other tools of the hub, from fetching a blob twice.

import EventLoop
import Glibc

/// A held lock, let go at `deinit`; the kernel lets it go when the process dies.
final class BlobLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Takes the lock at `path`, whose folder exists; `operation` is flock(2)'s.
    /// - Returns: nil where somebody holds it and it is not to be waited for.
    static func take(
        _ path: String,
        _ operation: Int32 = LOCK_EX | LOCK_NB
    ) throws(SystemError) -> BlobLock? {
        while true {
            let descriptor = try systemCall("open \(path)") {
                open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o664)
            }
            let lock = BlobLock(descriptor)
            guard flock(descriptor, operation) == 0 else {
                if errno == EINTR { continue }
                if errno == EWOULDBLOCK { return nil }
                // A file system without locks: then only chance keeps two pulls apart, and the check
                // of the whole file finds what they spoil.
                return lock
            }
            // Other tools remove the file when they let go: a lock on a removed file locks nothing.
            var held = stat()
            var named = stat()
            if fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino,
                held.st_dev == named.st_dev
            {
                return lock
            }
        }
    }
}
