// One of the places that settings are looked up in: what it is, ServerSettings does not know.

/// A place where settings are written, such as the environment.
public struct SettingSource: Sendable {
    /// How a message names a setting of this place, such as `STOA_PORT`.
    public let placeName: @Sendable (Setting) -> String
    /// Whether a fault here is one of the command line.
    public let isCommandLine: Bool
    /// The text of a setting, or nil where this place does not have it.
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
