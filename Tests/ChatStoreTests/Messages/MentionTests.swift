import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Testing

@Suite("Mentions")
struct MentionTests {
    /// A conversation of Ann's with Bob and a viewer, Cy; Dee is not in it.
    private struct Scene {
        let store: Store
        let ann: User
        let bob: User
        let cy: User
        let dee: User
        let tea: Conversation

        init(_ store: Store) async throws {
            self.store = store
            ann = try await store.someone("Ann")
            bob = try await store.someone("Bob")
            cy = try await store.someone("cy.")
            dee = try await store.someone("dee")
            tea = try await store.someConversation(of: ann)
            for (user, role) in [(bob, Role.editor), (cy, .viewer)] {
                _ = try await store.conversations.addMember(
                    MemberAddRequest(conversation: tea.id, user: user.name, role: role),
                    by: ann.id
                )
            }
        }

        /// A user's unread mentions.
        func unread(_ user: User) async throws -> Int? {
            let listed = try await store.listed(tea, of: user)
            let told = try await store.changes(user, after: 0).last { $0.conversation == tea.id }
            #expect(told?.summary?.mentions == listed?.mentions)
            return listed?.mentions
        }

        func read(_ user: User, to n: Int64) async throws {
            let request = ConversationReadRequest(conversation: tea.id, n: n)
            _ = try await store.lists.markRead(request, by: user.id)
        }
    }

    private func withScene(
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        try await withStore { store, _ in try await body(try await Scene(store)) }
    }

    @Test("members are mentioned in any case, non-members and the author are not")
    func names() async throws {
        try await withScene { scene in
            let said = try await scene.store.say(
                "@BOB @ann @dee @nobody, and @cy. And @Cy..",
                in: scene.tea,
                by: scene.ann
            )
            let told = Set(said.message.mentions ?? [])
            #expect(told == [named(scene.bob), named(scene.cy)])
            #expect(said.answer.mentions == nil)
            let plain = try await scene.store.say("tea, dee?", in: scene.tea, by: scene.ann)
            #expect(plain.message.mentions == nil)
            #expect(try await scene.unread(scene.bob) == 1)
            #expect(try await scene.unread(scene.cy) == 1)
            #expect(try await scene.unread(scene.ann) == nil)
        }
    }

    /// A user as messages contain them.
    private func named(_ user: User) -> User { User(id: user.id, name: user.name) }

    @Test("event, page, watch reply and log contain the same mentions")
    func sameEverywhere() async throws {
        try await withScene { scene in
            let committed = try await scene.store.messages.send(
                MessageSendRequest(
                    conversation: scene.tea.id,
                    key: "k",
                    text: "@bob and @cy.: rye?"
                ),
                by: scene.ann,
                limits: wide
            )
            let message = committed.value.message
            #expect(message.mentions?.count == 2)
            guard case .messageCreated(let told)? = committed.events.first else {
                Issue.record("no event of the question")
                return
            }
            #expect(told.message.mentions == message.mentions)
            let page = try await scene.store.messages.page(
                of: scene.tea.id,
                before: nil,
                limit: 10,
                for: scene.bob.id
            )
            #expect(page.messages.first?.mentions == message.mentions)
            let log = try await scene.store.events.list(
                of: scene.tea.id,
                after: told.n - 1,
                limit: 1
            )
            guard case .messageCreated(let again)? = log.first else {
                Issue.record("the log lacks the question")
                return
            }
            #expect(again.message.mentions == message.mentions)
            // Repeating the key returns the same reply, and adds no mentions.
            let repeated = try await scene.store.messages.send(
                MessageSendRequest(
                    conversation: scene.tea.id,
                    key: "k",
                    text: "@bob and @cy.: rye?"
                ),
                by: scene.ann,
                limits: wide
            )
            #expect(repeated.value.message.mentions == message.mentions)
            #expect(try await scene.unread(scene.bob) == 1)
        }
    }

    @Test("mentions are unread until they are read, for each member separately")
    func reading() async throws {
        try await withScene { scene in
            let first = try await scene.store.say("@bob @cy.", in: scene.tea, by: scene.ann)
            let second = try await scene.store.say("@bob?", in: scene.tea, by: scene.ann)
            #expect(try await scene.unread(scene.bob) == 2)
            try await scene.read(scene.bob, to: first.n)
            #expect(try await scene.unread(scene.bob) == 1)
            try await scene.read(scene.bob, to: second.n)
            #expect(try await scene.unread(scene.bob) == nil)
            #expect(try await scene.unread(scene.cy) == 1)
            // Read mentions stay in the message.
            let page = try await scene.store.messages.page(
                of: scene.tea.id,
                before: nil,
                limit: 10,
                for: scene.bob.id
            )
            #expect(page.messages.compactMap(\.mentions).map(\.count) == [2, 1])
        }
    }

    @Test("an edited message mentions again; a deleted one loses its mentions")
    func editingAndDeleting() async throws {
        try await withScene { scene in
            let first = try await scene.store.say("@bob?", in: scene.tea, by: scene.ann)
            let edited = try await scene.store.messages.edit(
                MessageEditRequest(
                    conversation: scene.tea.id,
                    key: "e",
                    message: first.message.id,
                    text: "@bob, @cy.?"
                ),
                by: scene.ann,
                limits: wide
            )
            #expect(edited.value.message.mentions?.count == 2)
            #expect(try await scene.unread(scene.bob) == 2)
            #expect(try await scene.unread(scene.cy) == 1)
            let before = try await scene.store.lists.position(of: scene.bob.id)
            _ = try await scene.store.messages.delete(
                MessageDeleteRequest(
                    conversation: scene.tea.id,
                    message: edited.value.message.id
                ),
                by: scene.ann.id
            )
            #expect(try await scene.unread(scene.bob) == 1)
            #expect(try await scene.unread(scene.cy) == nil)
            #expect(try await scene.store.lists.position(of: scene.bob.id) == before + 1)
            // After the deletion is undone, the mentions are back.
            _ = try await scene.store.messages.restore(
                MessageRestoreRequest(
                    conversation: scene.tea.id,
                    message: edited.value.message.id
                ),
                by: scene.ann.id,
                LifeCycleRules(undoDays: 30),
                at: .now
            )
            #expect(try await scene.unread(scene.bob) == 2)
            #expect(try await scene.unread(scene.cy) == 1)
            let back = try await scene.store.shown(scene.tea, to: scene.ann)
            #expect(back.first?.mentions == edited.value.message.mentions)
        }
    }

    @Test("a member who left and returned gets no earlier mentions; a copy has none")
    func leavingAndCopies() async throws {
        try await withScene { scene in
            let said = try await scene.store.say("@bob?", in: scene.tea, by: scene.ann)
            _ = try await scene.store.answer("hm")
            _ = try await scene.store.conversations.removeMember(
                MemberRemoveRequest(conversation: scene.tea.id, user: scene.bob.id),
                by: scene.ann.id
            )
            let gone = try await scene.store.say("@bob!", in: scene.tea, by: scene.ann)
            #expect(gone.message.mentions == nil)
            _ = try await scene.store.conversations.addMember(
                MemberAddRequest(conversation: scene.tea.id, user: "Bob"),
                by: scene.ann.id
            )
            #expect(try await scene.unread(scene.bob) == nil)
            let copy = try await scene.store.conversations.fork(
                ConversationForkRequest(
                    conversation: scene.tea.id,
                    key: "f",
                    message: said.message.id
                ),
                by: scene.ann.id
            )
            let shown = try await scene.store.messages.page(
                of: copy.id,
                before: nil,
                limit: 10,
                for: scene.ann.id
            )
            #expect(shown.messages.map(\.mentions) == [nil])
        }
    }

    @Test("a purge deletes them")
    func purge() async throws {
        try await withScene { scene in
            _ = try await scene.store.say("@bob?", in: scene.tea, by: scene.ann)
            _ = try await scene.store.conversations.delete(scene.tea.id, by: scene.ann.id)
            let later = Timestamp(milliseconds: Timestamp.now.milliseconds + 31 * 86_400_000)
            let rules = LifeCycleRules(undoDays: 30)
            var last = PurgeStep.nothingLeft
            repeat {
                last = try await scene.store.lifeCycle.purgeStep(rules, at: later, batch: 100)
            } while last != .purged(scene.tea.id) && last != .nothingLeft
            #expect(last == .purged(scene.tea.id))
        }
    }
}
