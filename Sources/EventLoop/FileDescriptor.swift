// An owned file descriptor, closed exactly once.

import Glibc

/// Owns a file descriptor and closes it at the end of its life.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The descriptor number, valid for the lifetime of this value.
    public let number: Int32

    /// Takes ownership of `number`; nobody else may close it.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // Linux releases the number even if close(2) reports an error, so it must not be retried.
        _ = close(number)
    }
}
