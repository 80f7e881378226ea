// An export on its way into a file. Of our own format each line is read and checked as it comes, so that
// what was cut off can be gone on with, and what is damaged is noticed.

import ChatProtocol
import Transfers

/// The file of an export in our format.
struct ExportedFile {
    private var file: TransferFile
    private var writer = RecordWriter()
    private var reader = RecordReader()
    private var users: Set<UserID> = []
    private var last: ConversationID?
    /// The last conversation of which all is in the file: after it the export goes on.
    private(set) var after: ConversationID?
    private(set) var conversationCount = 0
    private(set) var byteCount = 0
    private(set) var isComplete = false

    /// A new file.
    init(_ file: TransferFile) { self.file = file }

    /// A file whose export was cut off: what is there of whole conversations stays.
    init(resuming file: TransferFile) throws {
        self.file = file
        // What stood where the conversation began that is not whole.
        var whole: ExportedFile?
        do {
            while let bytes = try file.read() {
                reader.append(bytes)
                while let record = try reader.next() {
                    if case .conversation = record {
                        whole = self
                        whole?.after = last
                    }
                    // What an older server began has less in it: it is begun anew.
                    if case .header(let header) = record,
                        header.version != TransferHeader.currentVersion
                    {
                        throw TransferError.unknownVersion(header.version)
                    }
                    take(record)
                }
            }
        } catch is TransferError {
            // Cut off in the middle of a line, or damaged from here on.
        }
        var start = whole ?? ExportedFile(file)
        if start.after == nil { start = ExportedFile(file) }
        start.reader = RecordReader()
        self = start
        try file.truncate(to: byteCount)
    }

    /// Takes bytes of the export.
    mutating func take(_ bytes: [UInt8]) throws {
        reader.append(bytes)
        try takeRecords()
    }

    /// Ends the file.
    /// - Throws: `TransferError.incomplete` where the export was cut off.
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

    /// Whether a record of an export that is gone on with is not in the file.
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
