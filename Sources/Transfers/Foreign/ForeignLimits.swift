// How much of another system's file is taken.

public import JSONText

/// The bounds of an import of another system's file. What is beyond the first three refuses the file;
/// what is beyond the others leaves one conversation out, or cuts a text, and is in the report.
public struct ForeignLimits: Sendable {
    /// Of the archive, where the file is one.
    public var archive: ArchiveLimits
    /// Of the JSON text.
    public var json: JSONReaderLimits
    /// The most conversations of one import.
    public var conversationCountMax: Int
    /// Of one conversation's part of that text.
    public var element: JSONElementLimits
    /// The most messages of a conversation.
    public var messageCountMax: Int
    /// The longest text of a message, in bytes; what is longer is cut.
    public var textByteCountMax: Int
    /// The most bytes of all texts of a conversation, with what stands on several of its branches.
    public var conversationByteCountMax: Int

    /// Limits that the exports of other systems keep.
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
