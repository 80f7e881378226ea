// Why a pull waits.

/// Why a pull waits: its sentence, and what it is.
public struct PullDelay: Sendable, Hashable, CustomStringConvertible {
    /// What a pull waits for.
    public enum Cause: Sendable, Hashable {
        /// Another pull fetches the same file.
        case otherPull
        /// A retry after this error, with the values in its sentence.
        case retry(HubError.Code, [String: String])
    }

    /// What it waits for.
    public let cause: Cause
    /// One line for a terminal.
    public let description: String

    /// Waits for `cause`; `description` says so in one line.
    package init(cause: Cause, description: String) {
        self.cause = cause
        self.description = description
    }

    /// Another pull fetches the same file.
    static let otherPull = PullDelay(cause: .otherPull, description: "fetched by another pull")

    /// A retry after `error`.
    static func retry(after error: HubError) -> PullDelay {
        let (code, values) = error.coded
        return PullDelay(cause: .retry(code, values), description: "\(error)")
    }
}
