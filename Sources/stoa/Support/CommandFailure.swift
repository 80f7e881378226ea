// How a command fails: one line for a person, one number for a script.

/// A failure that ends the program.
package struct CommandFailure: Error, Hashable {
    /// The exit code, after sysexits(3).
    package enum Status: Int32, Sendable {
        /// What was compared differs; below sysexits' own, as diff(1) has it.
        case difference = 1
        /// The command was used wrongly.
        case usage = 64
        /// What it was given to work on is malformed.
        case dataError = 65
        /// A file or a folder is missing or cannot be read.
        case noInput = 66
        /// A server or another service is not there.
        case unavailable = 69
        /// The program failed.
        case software = 70
        /// A file cannot be written.
        case cannotCreate = 73
        /// Something that may work later.
        case temporary = 75
        /// The server refused.
        case noPermission = 77
        /// A setting is wrong.
        case configuration = 78
        /// The user interrupted, as shells report SIGINT.
        case interrupted = 130
    }

    /// What kind of failure.
    package let status: Status
    /// The line; empty where nothing needs to be said.
    package let message: String

    package init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }
}
