// Conversations as files for reading and for training. Each format has a beginning, a text for each
// conversation, and an end; message text is escaped so that it cannot break the format.

public import ChatProtocol

/// Writes conversations in a format other than Stoa's.
public struct TextWriter: Sendable {
    private let format: TransferFormat
    private var count = 0

    /// - Parameter format: any but `stoa`, which a `RecordWriter` writes.
    public init(_ format: TransferFormat) {
        self.format = format
    }

    /// The text before the first conversation.
    public var beginning: [UInt8] {
        switch format {
        case .html: Array(HTMLText.beginning.utf8)
        case .sharegpt: Array("[".utf8)
        case .stoa, .markdown, .text, .openai: []
        }
    }

    /// A conversation's text.
    /// - Parameters:
    ///   - document: the conversation.
    ///   - names: the names of users.
    /// - Returns: its text in UTF-8; empty if the format has nothing to write for it.
    public mutating func text(
        of document: ConversationDocument,
        _ names: [UserID: String]
    ) -> [UInt8] {
        let entries = document.entries(names)
        let text: [UInt8]
        switch format {
        case .stoa: text = []
        case .markdown: text = Array(MarkdownText.text(of: document, entries).utf8)
        case .html: text = Array(HTMLText.text(of: document, entries).utf8)
        case .text: text = Array(PlainText.text(of: document, entries).utf8)
        case .openai: text = TrainingText.openAI(document, entries)
        case .sharegpt: text = TrainingText.shareGPT(document, entries)
        }
        guard !text.isEmpty else { return [] }
        defer { count += 1 }
        guard count > 0 else { return text }
        return separator + text
    }

    private var separator: [UInt8] {
        switch format {
        case .markdown, .text: Array("\n".utf8)
        case .sharegpt: Array(",".utf8)
        case .stoa, .html, .openai: []
        }
    }

    /// The text after the last conversation.
    public var end: [UInt8] {
        switch format {
        case .html: Array(HTMLText.end.utf8)
        case .sharegpt: Array("]\n".utf8)
        case .stoa, .markdown, .text, .openai: []
        }
    }
}

extension String {
    /// The text in one line, without control characters and direction overrides.
    var inOneLine: String {
        String(
            String.UnicodeScalarView(
                DirectionMarks.removed(from: self).unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: " "
                    default: scalar
                    }
                }
            )
        )
    }
}
