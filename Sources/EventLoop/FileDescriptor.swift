// An open file descriptor with one owner, closed exactly once.

import Glibc

/// Owns a file descriptor and closes it at the end of its life.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The number, valid for as long as this value lives.
    public let number: Int32

    /// Takes over `number`, which nobody else may close from now on.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // Linux releases the number even where close(2) reports an error, so there is no retry.
        _ = close(number)
    }
}
