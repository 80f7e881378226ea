// A small transfer with one record of each kind.

import ChatProtocol
import TestSupport
import Transfers

enum Transfer {
    static let anna = id(10, of: User.self)
    static let conversation = id(30, of: Conversation.self)
    static let question = id(40, of: Message.self)
    static let answer = id(41, of: Message.self)
    static let prompt = id(80, of: LibraryPrompt.self)
    static let time = Timestamp(milliseconds: 1_763_717_400_125)

    static func id<Entity>(_ number: Int, of: Entity.Type) -> ID<Entity> {
        let digits = String(number, radix: 16)
        let zeros = String(repeating: "0", count: 12 - digits.count)
        // A valid UUID, so never nil.
        return ID("01980000-0000-7000-8000-\(zeros)\(digits)") ?? .make()
    }

    static func header(at time: Timestamp) -> TransferHeader {
        TransferHeader(exportedAt: time, server: "here", scope: .everything)
    }

    static func ofEveryKind() -> (records: [TransferRecord], bytes: [UInt8]) {
        let records = people() + beginning() + messages()
        var writer = RecordWriter()
        var bytes: [UInt8] = []
        for record in records { bytes += writer.line(record) }
        return (records, bytes + writer.end())
    }

    private static func people() -> [TransferRecord] {
        let team = id(20, of: Team.self)
        return [
            .header(header(at: time)),
            .user(UserRecord(id: anna, name: "anna")),
            .team(TeamRecord(id: team, name: "readers", createdAt: time)),
            .teamMember(TeamMemberRecord(team: team, user: anna, role: .admin, joinedAt: time)),
            .prompt(PromptRecord(id: prompt, team: team)),
            .promptVersion(
                PromptVersionRecord(
                    prompt: prompt,
                    version: 1,
                    name: "Kind",
                    text: "Be kind.",
                    author: anna,
                    createdAt: time
                )
            ),
        ]
    }

    private static func beginning() -> [TransferRecord] {
        [
            .conversation(
                ConversationRecord(
                    id: conversation,
                    title: "Ünïcode 🏛",
                    team: id(20, of: Team.self),
                    isOpen: true,
                    model: "demo",
                    settings: GenerationSettings(temperature: 0.7),
                    systemPromptVersion: 1,
                    leaf: answer,
                    createdAt: time,
                    updatedAt: time,
                    source: TransferSource(system: "chatgpt", id: "x")
                )
            ),
            .systemPrompt(
                SystemPromptRecord(
                    id: id(50, of: SystemPrompt.self),
                    conversation: conversation,
                    version: 1,
                    text: "Be\u{2028}kind.",
                    author: anna,
                    library: LibraryVersion(prompt: prompt, version: 1, name: "Kind"),
                    createdAt: time
                )
            ),
            .member(
                MemberRecord(
                    conversation: conversation,
                    user: anna,
                    role: .owner,
                    joinedAt: time,
                    selected: answer,
                    archivedAt: time,
                    firstUnread: answer
                )
            ),
        ]
    }

    private static func messages() -> [TransferRecord] {
        let asked = MessageRecord(
            id: question,
            conversation: conversation,
            parent: nil,
            number: 1,
            role: .user,
            author: anna,
            mentions: [id(11, of: User.self)],
            text: "What?\r\n\u{7F}\u{1}",
            createdAt: time
        )
        let answered = MessageRecord(
            id: answer,
            conversation: conversation,
            parent: question,
            number: 2,
            role: .assistant,
            text: "That.",
            run: id(60, of: RunAttempt.self),
            finish: .stop,
            usage: Usage(
                promptTokens: 3,
                cachedTokens: 0,
                completionTokens: 2,
                timeToFirstTokenMilliseconds: 0.25,
                tokensPerSecond: 12.5
            ),
            createdAt: time
        )
        return [
            .message(asked), .message(answered),
            .receipt(
                ReceiptRecord(conversation: conversation, message: answer, receipt: #"{"a": 1}"#)
            ),
            .feedback(
                FeedbackRecord(
                    conversation: conversation,
                    message: answer,
                    user: anna,
                    rating: -1,
                    text: "no",
                    givenAt: time
                )
            ),
            .summary(
                SummaryRecord(
                    id: id(70, of: Summary.self),
                    conversation: conversation,
                    through: answer,
                    messages: 2,
                    text: "They asked.",
                    receipt: "{}",
                    createdAt: time
                )
            ),
        ]
    }

    /// A record of one of the kinds that version 2 added or extended, with a random subset of the
    /// fields.
    static func random(using generator: inout SeededGenerator) -> TransferRecord {
        func maybe<Value>(_ value: Value) -> Value? {
            Bool.random(using: &generator) ? value : nil
        }
        let text = String(decoding: generator.bytes(12), as: UTF8.self)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            let team = maybe(id(20, of: Team.self))
            return .prompt(PromptRecord(id: prompt, team: team, owner: maybe(anna)))
        case 1:
            return .promptVersion(
                PromptVersionRecord(
                    prompt: prompt,
                    version: Int.random(in: 1...1000, using: &generator),
                    name: text,
                    text: text,
                    author: maybe(anna),
                    createdAt: time
                )
            )
        case 2:
            return .systemPrompt(
                SystemPromptRecord(
                    id: id(50, of: SystemPrompt.self),
                    conversation: maybe(conversation),
                    version: 1,
                    text: text,
                    author: maybe(anna),
                    library: maybe(LibraryVersion(prompt: prompt, version: 1, name: text)),
                    createdAt: time
                )
            )
        case 3:
            return .member(
                MemberRecord(
                    conversation: conversation,
                    user: anna,
                    role: .viewer,
                    joinedAt: time,
                    selected: maybe(answer),
                    archivedAt: maybe(time),
                    firstUnread: maybe(question)
                )
            )
        default:
            return .message(
                MessageRecord(
                    id: question,
                    conversation: conversation,
                    parent: maybe(answer),
                    number: 1,
                    role: .user,
                    author: maybe(anna),
                    mentions: maybe([anna, id(11, of: User.self)]),
                    text: text,
                    createdAt: time
                )
            )
        }
    }

    /// Reads a whole transfer in chunks of `size` bytes.
    static func read(_ bytes: [UInt8], in size: Int) throws(TransferError) -> [TransferRecord] {
        var reader = RecordReader()
        var records: [TransferRecord] = []
        var start = 0
        while start < bytes.count {
            reader.append(Array(bytes[start..<min(start + size, bytes.count)]))
            start += size
            while let record = try reader.next() { records.append(record) }
        }
        reader.finish()
        while let record = try reader.next() { records.append(record) }
        return records
    }
}
