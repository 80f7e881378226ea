import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

private let rules = LifeCycleRules(undoDays: 30)

/// A conversation "Tea" with one turn, and a snapshot of it.
private struct Scene {
    let store: Store
    let ann: User
    let tea: Conversation
    let first: MessageSendReply
    let token = Array("0123456789abcdef0123456789abcdef".utf8)

    init(_ store: Store) async throws {
        self.store = store
        ann = try await store.someone()
        tea = try await store.someConversation(of: ann)
        first = try await store.say("rye?", in: tea, by: ann)
        _ = try await store.answer("yes")
        try await rename("Tea")
    }

    func rename(_ title: String) async throws {
        _ = try await store.conversations.update(
            ConversationUpdateRequest(conversation: tea.id, title: title),
            by: ann.id
        )
    }

    @discardableResult
    func share(leaf: MessageID? = nil, _ kind: ShareKind = .snapshot) async throws -> Share {
        let request = ShareCreateRequest(conversation: tea.id, leaf: leaf, kind: kind)
        return try await store.shares.create(request, tokenHash: token, by: ann)
    }

    func edit(_ message: MessageID, to text: String) async throws -> MessageSendReply {
        let request = MessageEditRequest(
            conversation: tea.id,
            key: UUID().uuidString,
            message: message,
            text: text
        )
        return try await store.messages.edit(request, by: ann, limits: wide).value
    }

    func delete(_ message: MessageID) async throws {
        let request = MessageDeleteRequest(conversation: tea.id, message: message)
        _ = try await store.messages.delete(request, by: ann.id)
    }

    func restore(_ message: MessageID) async throws {
        let request = MessageRestoreRequest(conversation: tea.id, message: message)
        _ = try await store.messages.restore(request, by: ann.id, rules, at: .now)
    }

    func page(before: MessageID? = nil, limit: Int = 10) async throws -> SharedPage {
        let share = try await store.shares.open(tokenHash: token)
        return try await store.shares.page(of: share, before: before, limit: limit).page
    }

    func texts() async throws -> [String] { try await page().messages.map(\.text) }

    func purge(daysLater days: Int64) async throws {
        let later = Timestamp(milliseconds: Timestamp.now.milliseconds + days * 86_400_000)
        while case .rows = try await store.lifeCycle.purgeStep(rules, at: later, batch: 100) {}
    }
}

@Suite("Snapshot links")
struct SnapshotTests {
    @Test("show what was there: no later message, version or title")
    func end() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let share = try await scene.share()
            #expect(share.kind == .snapshot)
            #expect(share.leaf == scene.first.answer.id)
            let before = try await scene.page()
            #expect(before.messages.map(\.text) == ["rye?", "yes"])
            #expect(before.asOf == share.createdAt)

            _ = try await store.say("wheat?", in: scene.tea, by: scene.ann)
            _ = try await store.answer("no")
            _ = try await store.messages.regenerate(
                MessageAgainRequest(
                    conversation: scene.tea.id,
                    key: "again",
                    message: scene.first.answer.id
                ),
                by: scene.ann,
                limits: wide
            )
            _ = try await store.answer("certainly")
            _ = try await scene.edit(scene.first.message.id, to: "oats?")
            try await scene.rename("Bread")
            let after = try await scene.page()
            #expect(after.messages == before.messages)
            #expect(after.title == "Tea")
            let listed = try await store.shares.list(of: scene.tea.id, for: scene.ann.id)
            #expect(listed == [share])
        }
    }

    @Test("show the branch that they name, as far as it was continued")
    func branch() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            _ = try await scene.edit(scene.first.message.id, to: "oats?")
            _ = try await store.answer("no")
            try await scene.share(leaf: scene.first.message.id)
            #expect(try await scene.texts() == ["rye?", "yes"])
            let elsewhere = await refusal { try await scene.share(leaf: .make()) }
            #expect(elsewhere == .notFound)
        }
    }

    @Test("end before an answer that is being written, and are refused while nothing is there")
    func unfinished() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let second = try await store.say("wheat?", in: scene.tea, by: scene.ann)
            // A question may follow an answer that is queued.
            _ = try await store.say("oats?", in: scene.tea, by: scene.ann)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            let share = try await scene.share()
            #expect(share.leaf == second.message.id)
            #expect(try await scene.texts() == ["rye?", "yes", "wheat?"])
            _ = try await store.runs.finish(
                run,
                RunOutcome(text: "no", state: .complete, finish: .stop)
            )
            #expect(try await scene.texts() == ["rye?", "yes", "wheat?"])

            let empty = try await store.someConversation(of: scene.ann)
            let request = ShareCreateRequest(conversation: empty.id, kind: .snapshot)
            let refused = await refusal {
                _ = try await store.shares.create(request, tokenHash: [], by: scene.ann)
            }
            #expect(refused == .conflict)
        }
    }

    @Test("lose what is deleted, and show it again when that is undone")
    func deletion() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let second = try await store.say("wheat?", in: scene.tea, by: scene.ann)
            _ = try await store.answer("no")
            try await scene.share()
            try await scene.delete(second.answer.id)
            #expect(try await scene.texts() == ["rye?", "yes", "wheat?"])
            // A reader may have the message that the page ends before.
            let older = try await scene.page(before: second.answer.id, limit: 2)
            #expect(older.messages.map(\.text) == ["yes", "wheat?"])
            #expect(older.more)
            try await scene.restore(second.answer.id)
            #expect(try await scene.texts() == ["rye?", "yes", "wheat?", "no"])

            // What takes the place of a deleted message was not shared.
            try await scene.delete(second.message.id)
            _ = try await store.say("oats?", in: scene.tea, by: scene.ann)
            _ = try await store.answer("maybe")
            #expect(try await scene.texts() == ["rye?", "yes"])
            try await scene.purge(daysLater: 31)
            #expect(try await scene.texts() == ["rye?", "yes"])
            try await scene.delete(scene.first.message.id)
            #expect(try await scene.texts() == [])
        }
    }

    @Test(
        "end with their conversation, also while a legal hold keeps it",
        arguments: [false, true]
    )
    func conversation(isHeld: Bool) async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let admin = try await store.someone()
            let share = try await scene.share()
            if isHeld {
                let hold = ConversationHoldRequest(
                    conversation: scene.tea.id,
                    hold: true,
                    reason: "a lawsuit"
                )
                try await store.lifeCycle.hold(hold, by: admin)
            }
            _ = try await store.conversations.delete(scene.tea.id, by: scene.ann.id)
            try await scene.purge(daysLater: 31)
            #expect(await refusal { _ = try await scene.page() } == .notFound)
            #expect(try await store.shares.open(among: [share.id]).isEmpty)
        }
    }

    @Test("of either kind have no pages of other branches", arguments: ShareKind.allCases)
    func pages(kind: ShareKind) async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let second = try await store.say("wheat?", in: scene.tea, by: scene.ann)
            _ = try await store.answer("no")
            try await scene.share(leaf: second.message.id, kind)
            let other = try await scene.edit(second.message.id, to: "a secret")
            _ = try await store.answer("kept")
            let newest = try await scene.page(limit: 2)
            #expect(newest.messages.map(\.text) == ["wheat?", "no"])
            #expect(newest.more)
            let older = try await scene.page(before: second.message.id, limit: 2)
            #expect(older.messages.map(\.text) == ["rye?", "yes"])
            #expect(!older.more)
            #expect(try await scene.page(before: scene.first.message.id).messages == [])
            for message in [other.message.id, other.answer.id, .make()] {
                let refused = await refusal { _ = try await scene.page(before: message) }
                #expect(refused == .notFound)
            }
        }
    }
}
