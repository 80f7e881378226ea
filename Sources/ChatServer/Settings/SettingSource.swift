// A source of settings; ServerSettings does not know which kind it is.

/// A source of settings, such as the environment.
public struct SettingSource: Sendable {
    /// The name of a setting in this source for messages, such as `STOA_PORT`.
    public let placeName: @Sendable (Setting) -> String
    /// Whether this is the command line.
    public let isCommandLine: Bool
    /// The text of a setting; nil if this source does not have it.
    public let text: @Sendable (Setting) throws(SettingFault) -> String?

    /// Creates a source.
    public init(
        isCommandLine: Bool = false,
        placeName: @escaping @Sendable (Setting) -> String,
        text: @escaping @Sendable (Setting) throws(SettingFault) -> String?
    ) {
        self.isCommandLine = isCommandLine
        self.placeName = placeName
        self.text = text
    }
}
