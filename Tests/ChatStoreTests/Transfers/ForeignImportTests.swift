import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import TestSupport
import Testing
import Transfers

/// An export of another system, a word in it, and the expected number of conversations.
struct ForeignFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let word: String
    let conversations: Int
    let messages: Int

    var testDescription: String { name }

    static let all = [
        ForeignFixture(name: "chatgpt.json", word: "croissant", conversations: 2, messages: 13),
        ForeignFixture(name: "openwebui.json", word: "MMXXVI", conversations: 1, messages: 5),
        ForeignFixture(name: "openwebui-legacy.json", word: "Salve", conversations: 1, messages: 2),
        ForeignFixture(name: "librechat-flat.json", word: "Green", conversations: 1, messages: 6),
        ForeignFixture(
            name: "librechat-recursive.json",
            word: "Second",
            conversations: 1,
            messages: 4
        ),
    ]

    func bytes() throws -> BytesInMemory {
        let path = "\(SharedFiles.packageRoot)/Tests/TransfersTests/Fixtures/\(name)"
        return BytesInMemory(Array(try Data(contentsOf: URL(filePath: path))))
    }

    /// Imports it into the account of `user`.
    func load(into store: Store, for user: User) async throws -> TransferReport {
        var records: [TransferRecord] = []
        var source = try ForeignRecords(
            try bytes(),
            name: name,
            importer: ForeignImporter(user: user.id, time: .now)
        )
        while let record = try source.next() { records.append(record) }
        return try await store.imported(records, as: .user(user))
    }
}

@Suite("Imports from other systems")
struct ForeignImportTests {
    @Test(
        "create nothing twice, and imported conversations are listed, opened, found and continued",
        arguments: ForeignFixture.all
    )
    func twice(fixture: ForeignFixture) async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("ann")
            let first = try await fixture.load(into: store, for: ann)
            #expect(first.skipped.count == 0)
            #expect(first.changed.count == 0)
            #expect(first.created[.conversation] == fixture.conversations)
            #expect(first.created[.message] == fixture.messages)
            let before = try await store.exported().end
            let again = try await fixture.load(into: store, for: ann)
            #expect(again.created == TransferCounts())
            #expect(again.found[.message] == fixture.messages)
            #expect(try await store.exported().end?.contentSHA256 == before?.contentSHA256)
            #expect(before?.counts[.message] == fixture.messages)
            try await use(store, fixture, ann)
        }
    }

    private func use(_ store: Store, _ fixture: ForeignFixture, _ ann: User) async throws {
        let list = try await store.lists.conversations(of: ann.id, cursor: nil, limit: 10)
        #expect(list.conversations.count == fixture.conversations)
        let found = try await store.search.page(
            SearchRequest(query: fixture.word),
            for: ann.id,
            limit: 10
        )
        let hit = try #require(found.results.first)
        let conversation = try #require(list.conversations.first { $0.id == hit.conversation })
        let page = try await store.messages.page(
            of: conversation.id,
            before: nil,
            leaf: hit.message,
            limit: 50,
            for: ann.id
        )
        #expect(page.messages.contains { $0.id == hit.message })
        #expect(page.messages.first?.parent == nil)
        let turn = try await store.say("And now?", in: conversation, by: ann)
        let shown = try await store.messages.page(
            of: conversation.id,
            before: nil,
            limit: 50,
            for: ann.id
        )
        #expect(shown.messages.last?.id == turn.answer.id)
        let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
        let input = try await store.context.input(of: run, messageLimit: 100)
        #expect(input.branch.last?.text == "And now?")
        #expect(input.branch.count == shown.messages.count - 1)
    }

    @Test("into two accounts create two conversations, one visible to each user")
    func twoUsers() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("ann")
            let bob = try await store.someone("bob")
            let fixture = ForeignFixture.all[0]
            _ = try await fixture.load(into: store, for: ann)
            let second = try await fixture.load(into: store, for: bob)
            #expect(second.created[.conversation] == 2)
            #expect(second.changed.count == 0)
            let hers = try await store.lists.conversations(of: ann.id, cursor: nil, limit: 9)
            let his = try await store.lists.conversations(of: bob.id, cursor: nil, limit: 9)
            let shared = Set(hers.conversations.map(\.id)).intersection(his.conversations.map(\.id))
            #expect(shared.isEmpty)
        }
    }
}
