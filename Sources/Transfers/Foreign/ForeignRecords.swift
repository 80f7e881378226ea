// Exports of ChatGPT, Open WebUI and LibreChat as records of ours, told apart by what is in them.

import JSONText

/// Reads another system's export: a JSON file, or a ZIP archive with such. Holds one conversation and
/// one piece of the file, however large that is.
public struct ForeignRecords {
    private let limits: ForeignLimits
    private let builder: ForeignRecordBuilder
    private var files: ForeignFiles
    private var document: ForeignDocument?
    /// Whether a conversation of a known system was seen in the document.
    private var isKnown = false
    private var conversationCount = 0
    private var notes = ForeignNotes()
    /// Records of the conversation at hand, the next one last.
    private var pending: [TransferRecord] = []

    /// - Parameters:
    ///   - source: the bytes of the file.
    ///   - name: what it is called, for the report.
    ///   - importer: who imports it.
    ///   - limits: how much of it is taken.
    /// - Throws: `TransferError` where it is an archive that is not taken.
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

    /// Reads a file to its end and makes nothing of it: done before an import, it is why of a file that
    /// turns out to be damaged nothing at all is imported.
    /// - Parameters:
    ///   - source: the bytes of the file.
    ///   - name: what it is called, for the report.
    ///   - importer: who will import it.
    ///   - limits: how much of it is taken.
    /// - Returns: what will be left out and changed.
    /// - Throws: `TransferError` where it can't be read to its end.
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

    /// What of the file became no record, or not just as it was; whole after the last record.
    public var report: TransferReport { notes.report }

    /// The next record; a conversation's own comes first, then its system prompt, its member and its
    /// messages.
    /// - Returns: nil where there is nothing left.
    /// - Throws: `TransferError` where the file can't be read on.
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

    /// Reads on by one element.
    /// - Returns: whether there was one, or a further file.
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

    /// What is no conversation: one of many is left out; where it is the first, the file is another.
    private mutating func passOver(_ document: ForeignDocument) throws {
        guard !isKnown else {
            notes.skip("", "it is no conversation of a known system")
            return
        }
        guard files.mayBeOther else {
            throw TransferError.unknownFormat(
                "\(quoted(document.name)) has no conversations of ChatGPT, Open WebUI or LibreChat"
            )
        }
        notes.object = document.name
        notes.skip("", "the file has no conversations")
        self.document = nil
    }

    private mutating func noteRepairs(of document: ForeignDocument) {
        guard document.loneSurrogateCount > 0 else { return }
        notes.object = document.name
        notes.change(
            "\(document.loneSurrogateCount) characters",
            "half a character became U+FFFD"
        )
    }
}

extension TransferError {
    /// What reading another system's file threw.
    init(reading error: any Error, in file: String) {
        switch error {
        case let error as TransferError: self = error
        case let error as ArchiveError: self = .archive(error)
        case let error as JSONError: self = .json(file: file, error)
        default: self = .unreadable("\(error)")
        }
    }
}
