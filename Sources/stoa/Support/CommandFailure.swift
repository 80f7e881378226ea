// A command's failure: one line for the user, one exit code for scripts.

/// A failure that ends the program.
package struct CommandFailure: Error, Hashable {
    /// The exit code, from sysexits(3).
    package enum Status: Int32, Sendable, CaseIterable {
        /// A comparison found a difference; lower than those of sysexits, like diff(1).
        case difference = 1
        /// Invalid usage of the command.
        case usage = 64
        /// Malformed input data.
        case dataError = 65
        /// A file or a folder is missing or cannot be read.
        case noInput = 66
        /// A name stands for nothing, or for several things; sysexits has it for user names.
        case notFound = 67
        /// A server or another service is unavailable.
        case unavailable = 69
        /// An answer failed, or an internal error.
        case software = 70
        /// A file cannot be written.
        case cannotCreate = 73
        /// A failure that may be temporary.
        case temporary = 75
        /// The server refused.
        case noPermission = 77
        /// An invalid setting.
        case configuration = 78
        /// The user interrupted the command; the code that shells use for SIGINT.
        case interrupted = 130
    }

    /// The kind of failure.
    package let status: Status
    /// The message; empty if there is nothing to print.
    package let message: String

    package init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }
}
