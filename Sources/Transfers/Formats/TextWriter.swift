// Conversations as files for people and for trainers. Each format is a beginning, a text for each
// conversation, and an end; nothing of it can be broken by what somebody wrote.

public import ChatProtocol

/// Writes conversations in a format other than ours.
public struct TextWriter: Sendable {
    private let format: TransferFormat
    private var count = 0

    /// - Parameter format: any but `stoa`, which a `RecordWriter` writes.
    public init(_ format: TransferFormat) {
        self.format = format
    }

    /// What stands before the first conversation.
    public var beginning: [UInt8] {
        switch format {
        case .html: Array(HTMLText.beginning.utf8)
        case .sharegpt: Array("[".utf8)
        case .stoa, .markdown, .text, .openai: []
        }
    }

    /// A conversation.
    /// - Parameters:
    ///   - document: the conversation.
    ///   - names: what users are called.
    /// - Returns: its text in UTF-8; empty where the format has no use for it.
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

    /// What stands after the last conversation.
    public var end: [UInt8] {
        switch format {
        case .html: Array(HTMLText.end.utf8)
        case .sharegpt: Array("]\n".utf8)
        case .stoa, .markdown, .text, .openai: []
        }
    }
}

extension String {
    /// The text in one line, without control characters and marks that override its direction.
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
