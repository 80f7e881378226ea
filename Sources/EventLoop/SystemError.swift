// Errors of system calls.

import CLinux
public import Glibc

/// A system call failed: `operation` failed with `errno`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errno, such as `EADDRINUSE`.
    public var errno: Int32

    /// The system call, with its object if that helps ("bind 127.0.0.1:80").
    public var operation: String

    /// Creates an error.
    public init(errno: Int32, operation: String) {
        self.errno = errno
        self.operation = operation
    }

    /// The error of the thread's latest system call, from errno.
    public static func latest(_ operation: String) -> SystemError {
        SystemError(errno: Glibc.errno, operation: operation)
    }

    /// The system's description of the errno, in lower case: "address already in use".
    public var reason: String {
        guard let words = clinux_error_words(errno) else { return "unknown error" }
        return String(cString: words).lowercased()
    }

    /// One line for a log or a terminal: "bind: address already in use (98)".
    public var description: String { "\(operation): \(reason) (\(errno))" }
}

/// Calls `body` and retries while a signal interrupts it; throws other errors.
/// - Parameters:
///   - operation: the name of the call, for the error.
///   - body: a system call that returns -1 and sets errno on failure.
/// - Returns: the call's result, never negative.
/// - Throws: the call's errno, except `EINTR`.
@inlinable
@inline(__always)
@discardableResult
public func systemCall<Result: FixedWidthInteger & SignedInteger>(
    _ operation: @autoclosure () -> String,
    _ body: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        if errno != EINTR { throw SystemError.latest(operation()) }
    }
}
