import ChatCore
import ChatProtocol
import ChatStore
import Testing
import Transfers

@Suite("Transfers")
struct TransferTests {
    @Test("an import into an empty database exports the same; a repeated one creates nothing")
    func roundTrip() async throws {
        let first = try await withStore { store, _ in
            try await store.prompts.setServerPrompt("be careful")
            _ = try await store.makeHistory()
            return try await store.exported()
        }
        #expect(first.end?.counts[.message] == 8)
        #expect(first.end?.counts[.feedback] == 1)
        #expect(first.end?.counts[.conversation] == 2)
        #expect(first.end?.counts[.systemPrompt] == 4)
        try await withStore { store, _ in
            let dry = try await store.imported(first.records, isDryRun: true)
            #expect(try await store.exported().end?.lines == 1)
            let report = try await store.imported(first.records)
            #expect(report == dry || report.created[.member] == 3)
            #expect(report.skipped.count == 0)
            #expect(report.changed.count == 0)
            #expect(report.created[.message] == 8)
            let second = try await store.exported()
            #expect(second.end?.contentSHA256 == first.end?.contentSHA256)
            let again = try await store.imported(first.records)
            #expect(again.created == TransferCounts())
            #expect(again.found[.message] == 8)
            let third = try await store.exported()
            #expect(third.end?.contentSHA256 == first.end?.contentSHA256)
        }
    }

    @Test("an imported conversation is listed, opened, continued and found")
    func use() async throws {
        try await withStore { store, _ in
            let (ann, bob, conversation) = try await store.makeHistory()
            let records = try await store.exported(.user(ann.id), by: .user(ann.id)).records
            let eve = try await store.someone("eve")
            let report = try await store.imported(records, as: .user(eve))
            #expect(report.created[.conversation] == 1)
            #expect(report.created[.message] == 6)
            let list = try await store.lists.conversations(of: eve.id, cursor: nil, limit: 10)
            let copy = try #require(list.conversations.first)
            #expect(copy.id != conversation.id)
            #expect(copy.members.map(\.user.id) == [eve.id])
            #expect(copy.unread ?? 0 == 0)
            let page = try await store.messages.page(
                of: copy.id,
                before: nil,
                limit: 50,
                for: eve.id
            )
            #expect(page.messages.last?.text.hasPrefix("long long") == true)
            let found = try await store.search.page(
                SearchRequest(query: "another answer"),
                for: eve.id,
                limit: 10
            )
            #expect(found.results.map(\.conversation) == [copy.id])
            let turn = try await store.say("go on", in: copy, by: eve)
            #expect(turn.message.parent == page.messages.last?.id)
            // Hers alone: the others see their own list.
            #expect(
                try await store.conversations.conversation(conversation.id, for: bob.id).members
                    .count == 2
            )
            let again = try await store.imported(records, as: .user(eve))
            #expect(again.created[.conversation] == 0)
            #expect(again.found[.conversation] == 1)
        }
    }

    @Test("users export what they can see, and nothing else")
    func rights() async throws {
        try await withStore { store, _ in
            let (ann, bob, conversation) = try await store.makeHistory()
            let hers = try await store.exported(.user(ann.id), by: .user(ann.id))
            #expect(hers.end?.counts[.conversation] == 1)
            let his = try await store.exported(.user(bob.id), by: .user(bob.id))
            #expect(his.end?.counts[.conversation] == 2)
            let eve = try await store.someone("eve")
            let none = try await store.exported(.user(eve.id), by: .user(eve.id))
            #expect(none.end?.counts[.conversation] == 0)
            func code(_ scope: TransferScope, _ user: User) async -> ErrorCode? {
                await refusal { _ = try await store.exported(scope, by: .user(user.id)) }
            }
            #expect(await code(.conversation(conversation.id), eve) == .notFound)
            #expect(await code(.conversation(.make()), eve) == .notFound)
            #expect(await code(.user(bob.id), eve) == .forbidden)
            #expect(await code(.everything, eve) == .forbidden)
            #expect(await code(.team(.make()), eve) == .notFound)
        }
    }

    @Test("an export can continue after a conversation")
    func resuming() async throws {
        try await withStore { store, _ in
            _ = try await store.makeHistory()
            let whole = try await store.exported()
            let ids = whole.records.compactMap { record -> ConversationID? in
                if case .conversation(let conversation) = record { conversation.id } else { nil }
            }
            let rest = try await store.exported(after: ids[0])
            #expect(rest.end?.counts[.conversation] == ids.count - 1)
            #expect(
                Array(rest.records.suffix(3).dropLast())
                    == Array(whole.records.suffix(3).dropLast())
            )
        }
    }

    @Test("a conversation is invisible until it is imported completely")
    func wholeness() async throws {
        try await withStore { store, _ in
            let (ann, _, _) = try await store.makeHistory()
            let records = try await store.exported(.user(ann.id), by: .user(ann.id)).records
            let eve = try await store.someone("eve")
            let load = TransferImport(
                into: store.transfers,
                as: .user(eve),
                limits: ImportLimits(batch: (1, 10)),
                defaultModel: "demo"
            )
            for record in records.dropLast(2) { try await load.load(record) }
            func listed() async throws -> Int {
                try await store.lists.conversations(of: eve.id, cursor: nil, limit: 10)
                    .conversations
                    .count
            }
            #expect(try await listed() == 0)
            // The import is interrupted here; the next one starts again.
            let report = try await store.imported(records, as: .user(eve))
            #expect(report.created[.conversation] == 1)
            #expect(try await listed() == 1)
        }
    }

    @Test("invalid parts are left out or changed, and reported")
    func report() async throws {
        try await withStore { store, _ in
            let eve = try await store.someone("eve")
            let time = Timestamp(milliseconds: 1_700_000_000_000)
            let id = ConversationID.derived(from: ["chatgpt", "c1"], at: time)
            func message(_ name: String, after: String?, _ text: String) -> TransferRecord {
                .message(
                    MessageRecord(
                        id: .derived(from: ["chatgpt", "c1", name], at: time),
                        conversation: id,
                        parent: after.map { .derived(from: ["chatgpt", "c1", $0], at: time) },
                        number: 1,
                        role: .user,
                        text: text,
                        createdAt: time
                    )
                )
            }
            let source = TransferSource(system: "chatgpt", id: "c1")
            let records: [TransferRecord] = [
                .conversation(
                    ConversationRecord(
                        id: id,
                        title: "Titel",
                        settings: GenerationSettings(temperature: 9),
                        createdAt: time,
                        updatedAt: time,
                        source: source
                    )
                ),
                message("a", after: nil, "with \0 in it"),
                message("a", after: nil, "twice"),
                message("b", after: "nowhere", "an orphan"),
                message("c", after: "b", "its child"),
                message("d", after: "a", "good"),
            ]
            let report = try await store.imported(records, as: .user(eve))
            #expect(report.created[.message] == 2)
            #expect(report.skipped.count == 3)
            #expect(report.changed.count == 2)
            let again = try await store.imported(records, as: .user(eve))
            #expect(again.found[.conversation] == 1)
            let list = try await store.lists.conversations(of: eve.id, cursor: nil, limit: 10)
            let page = try await store.messages.page(of: id, before: nil, limit: 9, for: eve.id)
            #expect(list.conversations.map(\.title) == ["Titel"])
            #expect(page.messages.map(\.text) == ["with \u{FFFD} in it", "good"])
            #expect(page.messages.map(\.author?.id) == [eve.id, eve.id])
        }
    }

    @Test("parts over their limits are left out, and not kept in memory")
    func bounds() async throws {
        try await withStore { store, _ in
            let eve = try await store.someone("eve")
            let time = Timestamp(milliseconds: 1_700_000_000_000)
            let id = ConversationID.make()
            let load = TransferImport(
                into: store.transfers,
                as: .user(eve),
                limits: ImportLimits(users: 2),
                defaultModel: "demo"
            )
            let conversation = ConversationRecord(
                id: id,
                title: "Crowded",
                createdAt: time,
                updatedAt: time
            )
            try await load.load(.conversation(conversation))
            for _ in 0..<3 {
                let member = MemberRecord(
                    conversation: id,
                    user: .make(),
                    role: .editor,
                    joinedAt: time
                )
                try await load.load(.member(member))
            }
            try await load.finish()
            #expect(load.report.skipped.reasons == ["too many entries of this kind": 1])
            #expect(load.report.created[.conversation] == 1)
        }
    }

    @Test("authors without an account keep their names, also in copies")
    func names() async throws {
        try await withStore { store, _ in
            let (ann, bob, _) = try await store.makeHistory()
            let records = try await store.exported(.user(ann.id), by: .user(ann.id)).records
            let eve = try await store.someone("eve")
            _ = try await store.imported(records, as: .user(eve))
            let list = try await store.lists.conversations(of: eve.id, cursor: nil, limit: 1)
            let imported = try #require(list.conversations.first).id
            func page(of id: ConversationID) async throws -> [Message] {
                try await store.messages.page(of: id, before: nil, limit: 9, for: eve.id).messages
            }
            let messages = try await page(of: imported)
            let questions = messages.filter { $0.role == .user }
            #expect(questions.allSatisfy { $0.author == nil })
            #expect(Set(questions.compactMap(\.authorName)).isSubset(of: [ann.name, bob.name]))
            #expect(questions.last?.authorName == bob.name)
            let last = try #require(messages.last).id
            let request = ConversationForkRequest(
                conversation: imported,
                key: "copy",
                message: last
            )
            let copy = try await store.conversations.fork(request, by: eve.id).id
            #expect(
                try await page(of: copy).map(\.authorName) == messages.map(\.authorName)
            )
        }
    }

    @Test("a value that the database rejects fails only its conversation")
    func refusedValue() async throws {
        try await withStore { store, _ in
            let (ann, _, _) = try await store.makeHistory()
            var records = try await store.exported(.user(ann.id), by: .user(ann.id)).records
            records.removeAll { $0.kind == .receipt }
            let answer = try #require(
                records.firstIndex { record in
                    if case .message(let message) = record {
                        message.role == .assistant
                    } else {
                        false
                    }
                }
            )
            guard case .message(let message) = records[answer] else { return }
            records.insert(
                .receipt(
                    ReceiptRecord(
                        conversation: message.conversation,
                        message: message.id,
                        receipt: "{no JSON"
                    )
                ),
                at: answer + 1
            )
            let eve = try await store.someone("eve")
            let report = try await store.imported(records, as: .user(eve))
            #expect(report.created[.conversation] == 0)
            let last = report.skipped.notes.last?.object
            #expect(last == "conversation \(message.conversation)")
            let list = try await store.lists.conversations(of: eve.id, cursor: nil, limit: 10)
            #expect(list.conversations.isEmpty)
        }
    }
}
