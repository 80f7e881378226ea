// Converts exports of ChatGPT, Open WebUI and LibreChat, detected by their content, to transfer records.

import JSONText

/// Reads another system's export: a JSON file, or a ZIP archive of JSON files. Holds one conversation and
/// one chunk of the file in memory.
public struct ForeignRecords {
    private let limits: ForeignLimits
    private let builder: ForeignRecordBuilder
    private var files: ForeignFiles
    private var document: ForeignDocument?
    /// Whether a conversation of a known system was seen in the document.
    private var isKnown = false
    private var conversationCount = 0
    private var notes = ForeignNotes()
    /// Records of the current conversation, the next one last.
    private var pending: [TransferRecord] = []

    /// - Parameters:
    ///   - source: the bytes of the file.
    ///   - name: its name, for the report.
    ///   - importer: who imports it.
    ///   - limits: limits on the file.
    /// - Throws: `TransferError` if it is an archive that is refused.
    public init(
        _ source: any RandomAccessBytes,
        name: String,
        importer: ForeignImporter,
        limits: ForeignLimits = ForeignLimits()
    ) throws(TransferError) {
        self.limits = limits
        builder = ForeignRecordBuilder(importer: importer, limits: limits)
        do {
            files = try ForeignFiles(source, name: name, limits: limits)
        } catch {
            throw TransferError(reading: error, in: name)
        }
    }

    /// Reads a file to its end without creating records. Run before an import, so that nothing of a
    /// damaged file is imported.
    /// - Parameters:
    ///   - source: the bytes of the file.
    ///   - name: its name, for the report.
    ///   - importer: who will import it.
    ///   - limits: limits on the file.
    /// - Returns: what will be left out and changed.
    /// - Throws: `TransferError` if it can't be read to its end.
    public static func check(
        _ source: any RandomAccessBytes,
        name: String,
        importer: ForeignImporter,
        limits: ForeignLimits = ForeignLimits()
    ) throws(TransferError) -> TransferReport {
        var records = try ForeignRecords(source, name: name, importer: importer, limits: limits)
        while try records.next() != nil {}
        return records.report
    }

    /// What was left out or changed; complete after the last record.
    public var report: TransferReport { notes.report }

    /// The next record; a conversation's own comes first, then its system prompt, its member and
    /// its messages.
    /// - Returns: nil at the end.
    /// - Throws: `TransferError` if the file can't be read further.
    public mutating func next() throws(TransferError) -> TransferRecord? {
        do {
            while pending.isEmpty {
                guard try readConversation() else { return nil }
            }
        } catch {
            throw TransferError(reading: error, in: document?.name ?? files.name)
        }
        return pending.removeLast()
    }

    /// Reads the next element.
    /// - Returns: whether there was one, or another file.
    private mutating func readConversation() throws -> Bool {
        guard var document else { return try openFile() }
        let element = try document.next(&notes)
        self.document = document
        guard let element else {
            noteRepairs(of: document)
            self.document = nil
            return true
        }
        guard let system = element.system else {
            try passOver(document)
            return true
        }
        isKnown = true
        conversationCount += 1
        guard conversationCount <= limits.conversationCountMax else {
            throw TransferError.limitExceeded(
                "the file has more than \(limits.conversationCountMax) conversations"
            )
        }
        do {
            let conversation = try convert(element, of: system)
            pending = try builder.records(of: conversation, notes: &notes).reversed()
        } catch let error as SkippedConversation {
            notes.skip("", error.reason)
        }
        return true
    }

    private mutating func openFile() throws -> Bool {
        guard let (stream, name) = try files.next(&notes) else {
            notes.finish()
            return false
        }
        isKnown = false
        document = ForeignDocument(stream, name: name, limits: limits)
        return true
    }

    private mutating func convert(
        _ element: ForeignElement,
        of system: ForeignSystem
    ) throws -> ForeignConversation {
        switch system {
        case .chatGPT:
            try ChatGPTConverter.conversation(of: element, limits: limits, notes: &notes)
        case .openWebUI:
            try OpenWebUIConverter.conversation(of: element, limits: limits, notes: &notes)
        case .libreChat:
            try LibreChatConverter.conversation(of: element, limits: limits, notes: &notes)
        }
    }

    /// Handles an element that is not a conversation: it is left out, or, if it is the first, the
    /// file is refused as unknown.
    private mutating func passOver(_ document: ForeignDocument) throws {
        guard !isKnown else {
            notes.skip("", .unknownSystem)
            return
        }
        guard files.mayBeOther else {
            throw TransferError.unknownFormat(
                "\(quoted(document.name)) has no conversations of ChatGPT, Open WebUI or LibreChat"
            )
        }
        notes.object = document.name
        notes.skip("", .noConversations)
        self.document = nil
    }

    private mutating func noteRepairs(of document: ForeignDocument) {
        guard document.loneSurrogateCount > 0 else { return }
        notes.object = document.name
        notes.change(
            "\(document.loneSurrogateCount) characters",
            .halfCharacter
        )
    }
}

extension TransferError {
    /// Wraps an error thrown while another system's file was read.
    init(reading error: any Error, in file: String) {
        switch error {
        case let error as TransferError: self = error
        case let error as ArchiveError: self = .archive(error)
        case let error as JSONError: self = .json(file: file, error)
        default: self = .unreadable("\(error)")
        }
    }
}
