// An advisory file lock that keeps two pulls, by Stoa or by other Hugging Face tools, from fetching the
// same blob.

package import EventLoop
import Glibc

/// A held lock, released at `deinit`; the kernel releases it when the process ends.
package final class BlobLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // A child between fork and exec has the descriptor, too, and would hold the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Takes the lock at `path`, whose folder must exist; `operation` is an flock(2) operation.
    /// - Returns: nil if another process holds the lock and `operation` does not wait.
    package static func take(
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
                // The file system has no locks. Two pulls may then write the same blob; the
                // checksum of the whole file detects the damage.
                return lock
            }
            // Other tools delete the lock file when they release it: a lock on a deleted file
            // excludes nobody.
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
