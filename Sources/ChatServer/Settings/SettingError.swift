// Errors in settings: in a value alone, and in a value of a source.

/// An invalid setting, as one line for people.
public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line.
    public let description: String
    /// Whether the error is on the command line.
    public let isUsageError: Bool

    /// Creates an error.
    public init(_ description: String, isUsageError: Bool = false) {
        self.description = description
        self.isUsageError = isUsageError
    }
}

/// What is wrong with a value, as the end of a sentence: "is not a whole number".
public struct SettingFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The end of the sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
