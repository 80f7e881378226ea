// A system call's failure as a value: which operation, which errno, and words for people.

import CLinux
public import Glibc

/// The environment refused something: `operation` failed with `errno`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number that the kernel gave, such as `EADDRINUSE`.
    public var errno: Int32

    /// What was tried: the system call's name, with its object where that helps ("bind 127.0.0.1:80").
    public var operation: String

    /// An error of `operation` with the number `errno`.
    public init(errno: Int32, operation: String) {
        self.errno = errno
        self.operation = operation
    }

    /// The error that the calling thread's latest system call left behind.
    public static func latest(_ operation: String) -> SystemError {
        SystemError(errno: Glibc.errno, operation: operation)
    }

    /// The system's words for the number alone, in lower case: "address already in use".
    public var reason: String {
        guard let words = clinux_error_words(errno) else { return "unknown error" }
        return String(cString: words).lowercased()
    }

    /// One line for a log or a terminal: "bind: address already in use (98)".
    public var description: String { "\(operation): \(reason) (\(errno))" }
}

/// Calls `body` again for as long as a signal interrupts it, and throws what else goes wrong.
/// - Parameters:
///   - operation: the call's name for the error.
///   - body: a system call that answers -1 and sets errno where it fails.
/// - Returns: the call's result, never negative.
/// - Throws: the call's errno, but for `EINTR`.
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
