// An export as the bytes of a response, generated as the client reads them.

package import ChatProtocol
package import ChatStore
package import Transfers

/// Generates the bytes of one export. Keeps one page of records in memory, and one conversation for
/// formats that show a branch.
package final class ExportStream {
    /// Maximum text of a conversation that is kept in memory for other formats, in bytes.
    private static let documentBytesMax = 64 << 20

    private let export: TransferExport
    private let format: TransferFormat
    private let reader: UserID?
    private var records = RecordWriter()
    private var texts: TextWriter
    private var document: ConversationDocument?
    private var names: [UserID: String] = [:]
    private var hasBegun = false
    private var isDone = false
    /// Number of conversations started.
    package private(set) var conversationCount = 0

    /// - Parameters:
    ///   - export: the records.
    ///   - format: the format.
    ///   - reader: the user whose selected branch is shown; nil for the newest branch.
    package init(_ export: TransferExport, as format: TransferFormat, for reader: UserID?) {
        self.export = export
        self.format = format
        self.reader = reader
        texts = TextWriter(format)
    }

    /// The next bytes.
    /// - Returns: nil at the end; never empty.
    /// - Throws: as the export does; `WireError.limitExceeded` if a conversation is too long for
    ///   the format.
    package func next() async throws -> [UInt8]? {
        while !isDone {
            var bytes = hasBegun ? [] : beginning
            hasBegun = true
            if let page = try await export.next() {
                for record in page { bytes += try self.bytes(of: record) }
            } else {
                isDone = true
                bytes += end()
            }
            if !bytes.isEmpty { return bytes }
        }
        return nil
    }

    private var beginning: [UInt8] { format == .stoa ? [] : texts.beginning }

    private func bytes(of record: TransferRecord) throws -> [UInt8] {
        if case .conversation = record { conversationCount += 1 }
        guard format != .stoa else { return records.line(record) }
        switch record {
        case .user(let user):
            names[user.id] = user.name
            return []
        case .conversation(let conversation):
            let before = finishDocument()
            document = ConversationDocument(conversation, for: reader)
            return before
        default:
            document?.add(record)
            guard document?.byteCount ?? 0 <= Self.documentBytesMax else {
                throw WireError(
                    .limitExceeded,
                    "a conversation is too long for this format: use format=stoa"
                )
            }
            return []
        }
    }

    private func end() -> [UInt8] {
        format == .stoa ? records.end() : finishDocument() + texts.end
    }

    private func finishDocument() -> [UInt8] {
        guard let document else { return [] }
        self.document = nil
        return texts.text(of: document, names)
    }
}
