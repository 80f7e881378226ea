// A database with everything that a transfer contains, and transfers in memory.

import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Transfers

/// A transfer's bytes, and the counts in its last line.
struct WrittenTransfer {
    let bytes: [UInt8]
    let records: [TransferRecord]

    var end: TransferEnd? {
        if case .end(let end) = records.last { end } else { nil }
    }
}

extension Store {
    /// Exports into memory, in small pages.
    func exported(
        _ scope: TransferScope = .everything,
        by reader: ExportReader = .terminal,
        after: ConversationID? = nil
    ) async throws -> WrittenTransfer {
        let export = TransferExport(
            of: scope,
            from: transfers,
            for: reader,
            after: after,
            limits: TransferExport.PageLimits(messages: 3, bytes: 500, others: 2)
        )
        var writer = RecordWriter()
        var bytes: [UInt8] = []
        while let page = try await export.next() {
            for record in page { bytes += writer.line(record) }
        }
        bytes += writer.end()
        var reader = RecordReader()
        reader.append(bytes)
        reader.finish()
        var records: [TransferRecord] = []
        while let record = try reader.next() { records.append(record) }
        return WrittenTransfer(bytes: bytes, records: records)
    }

    /// Imports records, in small batches.
    @discardableResult
    func imported(
        _ records: [TransferRecord],
        as owner: ImportOwner = .everything(.terminal),
        isDryRun: Bool = false
    ) async throws -> TransferReport {
        let load = TransferImport(
            into: transfers,
            as: owner,
            isDryRun: isDryRun,
            limits: ImportLimits(batch: (2, 300)),
            defaultModel: "demo"
        )
        for record in records { try await load.load(record) }
        try await load.finish()
        return load.report
    }

    /// Two users' conversations, with branches, a rated answer, and two versions of a prompt.
    func makeHistory() async throws -> (ann: User, bob: User, conversation: Conversation) {
        let ann = try await someone("ann")
        let bob = try await someone("bob \u{1F3DB}\u{FE0F}")
        let conversation = try await someConversation(of: ann, prompt: "Sei freundlich 🌍")
        _ = try await conversations.addMember(
            MemberAddRequest(conversation: conversation.id, user: bob.name, role: .editor),
            by: ann.id
        )
        _ = try await conversations.update(
            ConversationUpdateRequest(
                conversation: conversation.id,
                title: "\"Naïve\" — ملاحظات\n# no heading",
                systemPrompt: "be brief",
                settings: GenerationSettings(
                    temperature: 0.1,
                    topP: 0.95,
                    seed: 1 << 52,
                    stop: ["\n\n", "\u{1F642}"]
                )
            ),
            by: ann.id
        )
        let first = try await say("one\u{2028}two", in: conversation, by: ann)
        _ = try await answer("an answer\n\n```\ncode\n```")
        _ = try await messages.rate(
            MessageFeedbackRequest(
                conversation: conversation.id,
                message: first.answer.id,
                rating: -1,
                text: "wrong"
            ),
            by: bob
        )
        _ = try await messages.edit(
            MessageEditRequest(
                conversation: conversation.id,
                key: UUID().uuidString,
                message: first.message.id,
                text: "another one"
            ),
            by: bob,
            limits: wide
        )
        _ = try await answer("another answer")
        _ = try await say("and then? \u{1F468}\u{200D}\u{1F469}", in: conversation, by: bob)
        _ = try await answer(String(repeating: "long ", count: 200))
        let other = try await someConversation(of: bob)
        _ = try await say("private", in: other, by: bob)
        _ = try await answer("yes")
        return (ann, bob, conversation)
    }
}
