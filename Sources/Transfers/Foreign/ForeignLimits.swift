// Limits on another system's file.

public import JSONText

/// The limits of an import of another system's file. Exceeding one of the first three refuses the file;
/// exceeding another leaves one conversation out or cuts a text, which is in the report.
public struct ForeignLimits: Sendable {
    /// For the archive, if the file is one.
    public var archive: ArchiveLimits
    /// For the JSON text.
    public var json: JSONReaderLimits
    /// Maximum conversations per import.
    public var conversationCountMax: Int
    /// For one conversation's part of the JSON text.
    public var element: JSONElementLimits
    /// Maximum messages of a conversation.
    public var messageCountMax: Int
    /// Maximum bytes of a message's text; longer texts are cut.
    public var textByteCountMax: Int
    /// Maximum bytes of all texts of a conversation; text on several branches counts for each.
    public var conversationByteCountMax: Int

    /// Defaults that exports of other systems stay within.
    public init(
        archive: ArchiveLimits = ArchiveLimits(),
        json: JSONReaderLimits = JSONReaderLimits(),
        conversationCountMax: Int = 100_000,
        element: JSONElementLimits = JSONElementLimits(),
        messageCountMax: Int = 50_000,
        textByteCountMax: Int = 1 << 20,
        conversationByteCountMax: Int = 64 << 20
    ) {
        self.archive = archive
        self.json = json
        self.conversationCountMax = conversationCountMax
        self.element = element
        self.messageCountMax = messageCountMax
        self.textByteCountMax = textByteCountMax
        self.conversationByteCountMax = conversationByteCountMax
    }
}

/// The systems whose exports are read.
public enum ForeignSystem: String, Sendable, CaseIterable {
    /// ChatGPT's data export.
    case chatGPT = "chatgpt"
    /// Open WebUI's export of chats.
    case openWebUI = "openwebui"
    /// LibreChat's export of a conversation.
    case libreChat = "librechat"
}
