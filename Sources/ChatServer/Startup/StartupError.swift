// Why the server, or a command beside it, cannot do its work: one line for a person, and an exit code of
// sysexits(3) for a script.

/// A failure that ends the process.
public struct StartupError: Error, CustomStringConvertible, Sendable {
    /// What kind of failure, as sysexits(3) numbers them.
    public enum Kind: Int32, Sendable {
        /// The data given to a command is not what it should be.
        case badData = 65
        /// A file or folder is missing or damaged.
        case noInput = 66
        /// A service is not there: the database, or the port to listen on.
        case unavailable = 69
        /// The server itself failed.
        case software = 70
        /// A file cannot be written.
        case cannotCreate = 73
        /// A setting is wrong.
        case configuration = 78
    }

    /// What kind of failure.
    public let kind: Kind
    /// What happened, and what to do.
    public let description: String

    /// Creates an error.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
