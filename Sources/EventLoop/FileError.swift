// Errors of file operations, with a remedy for the user.

import Glibc

/// A failed operation on a file or folder: the path, the reason, and what to do.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation.
    public enum Operation: String, Sendable {
        case read
        case write = "write to"
        case makeFolder = "make the folder"
        case changeMode = "change the permissions of"
    }

    /// The operation.
    public let operation: Operation
    /// The path as the user gave it.
    public let path: String
    /// The errno, such as `ENOTDIR`.
    public let errno: Int32

    /// Creates an error.
    public init(_ operation: Operation, _ path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// The error of the thread's latest system call, from errno.
    public static func latest(_ operation: Operation, _ path: String) -> FileError {
        FileError(operation, path, errno: Glibc.errno)
    }

    /// One line: "cannot write to /srv/a: permission denied: give this user access, or …".
    public var description: String {
        Self.remedy(for: errno).map { "\(cause): \($0)" } ?? cause
    }

    /// The line without the remedy: "cannot write to /srv/a: permission denied".
    public var cause: String {
        let reason = SystemError(errno: errno, operation: operation.rawValue).reason
        return "cannot \(operation.rawValue) \(path): \(reason)"
    }

    /// What the user can do about an errno; nil if there is no general remedy.
    public static func remedy(for errno: Int32) -> String? {
        switch errno {
        case EACCES, EPERM: "give this user access to it, or name another path"
        case ENOENT: "check the path, and any links in it"
        case ENOTDIR, EEXIST: "a file stands where a folder is needed; name another path"
        case EISDIR: "name a file instead of a folder"
        case ENAMETOOLONG: "name a shorter path"
        case ELOOP: "links lead in a circle; name another path"
        case EROFS: "name a path on a file system that is not read-only"
        case ENOSPC, EDQUOT: "free some disk space"
        default: nil
        }
    }
}
