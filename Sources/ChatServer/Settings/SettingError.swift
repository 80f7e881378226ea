// What is wrong with a setting: with its text alone, and with its text in its place.

/// A setting that cannot be used, as one line for people.
public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line.
    public let description: String
    /// Whether the fault is one of the command line.
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
