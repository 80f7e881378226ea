// Imports a file of another system, and checks the result against the rules for every import.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Transfers

/// The result of importing a file.
struct ForeignImport {
    static let user = Transfer.anna
    static let now = Timestamp(milliseconds: 1_770_000_000_000)

    private(set) var records: [TransferRecord] = []
    private(set) var report = TransferReport()
    private(set) var error: TransferError?

    init(
        _ bytes: [UInt8],
        name: String = "export.json",
        user: UserID? = user,
        limits: ForeignLimits = ForeignLimits()
    ) {
        let importer = ForeignImporter(user: user, time: Self.now)
        do throws(TransferError) {
            var source = try ForeignRecords(
                BytesInMemory(bytes),
                name: name,
                importer: importer,
                limits: limits
            )
            while let record = try source.next() { records.append(record) }
            report = source.report
        } catch {
            self.error = error
        }
    }

    init(_ json: String, limits: ForeignLimits = ForeignLimits()) {
        self.init(Array(json.utf8), limits: limits)
    }

    /// Imports a file of the folder Fixtures.
    init(fixture: String) throws {
        self.init(try Self.fixture(fixture), name: fixture)
    }

    static func fixture(_ name: String) throws -> [UInt8] {
        let path = "\(SharedFiles.packageRoot)/Tests/TransfersTests/Fixtures/\(name)"
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    var conversations: [ConversationRecord] {
        records.compactMap { if case .conversation(let record) = $0 { record } else { nil } }
    }

    func systemPrompt(of conversation: ConversationID) -> String? {
        let prompts = records.compactMap {
            if case .systemPrompt(let record) = $0 { record } else { nil }
        }
        return prompts.first { $0.conversation == conversation }?.text
    }

    func messages(of conversation: ConversationID) -> [MessageRecord] {
        records.compactMap { record in
            guard case .message(let message) = record, message.conversation == conversation else {
                return nil
            }
            return message
        }
    }

    /// The texts from the first message to `last`, each with its speaker.
    func branch(to last: MessageID?, of conversation: ConversationID) -> [String] {
        let messages = messages(of: conversation)
        var branch: [String] = []
        var next = last
        while let id = next, let message = messages.first(where: { $0.id == id }) {
            branch.append("\(message.role): \(message.text)")
            next = message.parent
        }
        return branch.reversed()
    }

    /// How many objects were left out for a reason.
    func skipped(_ reason: String) -> Int { report.skipped.reasons[reason] ?? 0 }
    /// How many objects were changed for a reason.
    func changed(_ reason: String) -> Int { report.changed.reasons[reason] ?? 0 }

    /// Violations of the rules that hold for every import, whatever the file contains.
    func flaws(limits: ForeignLimits = ForeignLimits()) -> [String] {
        var flaws: [String] = []
        var messages: [MessageID: MessageRecord] = [:]
        var parents = Set<MessageID>()
        var leaves: [MessageID] = []
        var current: ConversationRecord?
        var number: Int64 = 0
        for record in records {
            switch record {
            case .conversation(let record):
                current = record
                number = 0
                messages = [:]
                if let leaf = record.leaf { leaves.append(leaf) } else { flaws.append("no leaf") }
                if record.title.utf8.count > 500 { flaws.append("a title is too long") }
                if record.title.utf8.contains(0) { flaws.append("NUL in a title") }
                if record.updatedAt < record.createdAt { flaws.append("times run backwards") }
            case .message(let record):
                number += 1
                flaws += Self.flaws(of: record, after: messages, limits)
                if record.number != number { flaws.append("numbers have gaps") }
                if record.conversation != current?.id { flaws.append("a message is elsewhere") }
                if let parent = record.parent { parents.insert(parent) }
                messages[record.id] = record
                leaves.removeAll { $0 == record.id }
            case .systemPrompt(let record):
                if record.text.isEmpty || record.text.utf8.contains(0) {
                    flaws.append("a system prompt is not text")
                }
            case .member: break
            default: flaws.append("a record that no import makes")
            }
        }
        if !leaves.isEmpty { flaws.append("a leaf is missing") }
        if conversations.contains(where: { $0.leaf.map(parents.contains) ?? false }) {
            flaws.append("a leaf has replies")
        }
        return flaws
    }

    private static func flaws(
        of message: MessageRecord,
        after messages: [MessageID: MessageRecord],
        _ limits: ForeignLimits
    ) -> [String] {
        var flaws: [String] = []
        if messages[message.id] != nil { flaws.append("two messages have one id") }
        let parent = message.parent.flatMap { messages[$0] }
        if message.parent != nil, parent == nil { flaws.append("a parent is missing") }
        switch (message.role, parent?.role) {
        case (.user, nil), (.user, .assistant), (.assistant, .user): break
        default: flaws.append("roles do not take turns")
        }
        if message.text.utf8.contains(0) { flaws.append("NUL in a text") }
        if message.text.utf8.count > limits.textByteCountMax { flaws.append("a text is too long") }
        if !message.state.isFinal { flaws.append("a message is not over") }
        if message.role == .user, message.state != .complete { flaws.append("half a question") }
        if message.createdAt.milliseconds < 0 { flaws.append("a time before 1970") }
        return flaws
    }
}
