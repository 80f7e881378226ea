// Writes an export to a file. Stoa's own format is parsed and verified line by line, so that an
// interrupted export can resume, and damage is detected.

import ChatProtocol
import Transfers

/// The file of an export in Stoa's format.
struct ExportedFile {
    private var file: TransferFile
    private var writer = RecordWriter()
    private var reader = RecordReader()
    private var users: Set<UserID> = []
    private var last: ConversationID?
    /// The last complete conversation in the file: the export resumes after it.
    private(set) var after: ConversationID?
    private(set) var conversationCount = 0
    private(set) var byteCount = 0
    private(set) var isComplete = false

    /// A new file.
    init(_ file: TransferFile) { self.file = file }

    /// Resumes an interrupted export; keeps the complete conversations in the file.
    init(resuming file: TransferFile) throws {
        self.file = file
        // The state before the first incomplete conversation.
        var whole: ExportedFile?
        do {
            while let bytes = try file.read() {
                reader.append(bytes)
                while let record = try reader.next() {
                    if case .conversation = record {
                        whole = self
                        whole?.after = last
                    }
                    // An older server's format has fewer records: start over.
                    if case .header(let header) = record,
                        header.version != TransferHeader.currentVersion
                    {
                        throw TransferError.unknownVersion(header.version)
                    }
                    take(record)
                }
            }
        } catch is TransferError {
            // Truncated within a line, or damaged from here on.
        }
        var start = whole ?? ExportedFile(file)
        if start.after == nil { start = ExportedFile(file) }
        start.reader = RecordReader()
        self = start
        try file.truncate(to: byteCount)
    }

    /// Appends bytes of the export.
    mutating func take(_ bytes: [UInt8]) throws {
        reader.append(bytes)
        try takeRecords()
    }

    /// Ends the file.
    /// - Throws: `TransferError.incomplete` if the export was interrupted.
    mutating func finish() throws {
        reader.finish()
        try takeRecords()
        try file.write(writer.end())
        isComplete = true
    }

    private mutating func takeRecords() throws {
        while let record = try reader.next() {
            guard isNew(record), let line = take(record) else { continue }
            try file.write(line)
        }
    }

    /// Whether the file lacks a record of a resumed export.
    private func isNew(_ record: TransferRecord) -> Bool {
        guard after != nil else { return true }
        return switch record {
        case .header, .team, .teamMember, .prompt, .promptVersion: false
        case .systemPrompt(let prompt): prompt.conversation != nil
        case .user(let user): !users.contains(user.id)
        default: true
        }
    }

    @discardableResult
    private mutating func take(_ record: TransferRecord) -> [UInt8]? {
        switch record {
        case .end: return nil
        case .user(let user): users.insert(user.id)
        case .conversation(let conversation):
            last = conversation.id
            conversationCount += 1
        default: break
        }
        let line = writer.line(record)
        byteCount += line.count
        return line
    }
}
