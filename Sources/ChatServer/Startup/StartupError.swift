// Why the server or a command cannot run: one line for a person, and an exit code of sysexits(3)
// for a script.

/// An error that ends the process.
public struct StartupError: Error, CustomStringConvertible, Sendable {
    /// The kind of error, with its code in sysexits(3).
    public enum Kind: Int32, Sendable {
        /// Invalid input data.
        case badData = 65
        /// A file or folder is missing or damaged.
        case noInput = 66
        /// A service is unavailable: the database, or the port to listen on.
        case unavailable = 69
        /// Internal error of the server.
        case software = 70
        /// A file cannot be created.
        case cannotCreate = 73
        /// A setting is invalid.
        case configuration = 78
    }

    /// The kind of error.
    public let kind: Kind
    /// What happened, and what to do.
    public let description: String

    /// Creates an error.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
