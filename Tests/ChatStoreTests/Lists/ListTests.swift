import ChatProtocol
import ChatStore
import EventLoop
import Testing

extension ListChange {
    /// The conversation that changed; nil for a team or folders.
    var conversation: ConversationID? {
        switch subject {
        case .listed(let summary): summary.id
        case .unlisted(let conversation): conversation
        case .team, .left, .folders: nil
        }
    }

    /// The list's entry for the conversation; nil if it left the list, and for a team or folders.
    var summary: Conversation? {
        if case .listed(let summary) = subject { summary } else { nil }
    }
}

extension Store {
    /// A user's whole list.
    func list(of user: User) async throws -> [Conversation] {
        var conversations: [Conversation] = []
        var cursor: String?
        repeat {
            let page = try await lists.conversations(of: user.id, cursor: cursor, limit: 200)
            conversations += page.conversations
            cursor = page.cursor
        } while cursor != nil
        return conversations
    }

    /// The entry for a conversation in a user's list.
    func listed(_ conversation: Conversation, of user: User) async throws -> Conversation? {
        try await list(of: user).first { $0.id == conversation.id }
    }

    /// The changes in a user's list after a number.
    func changes(_ user: User, after: Int64) async throws -> [ListChange] {
        try await lists.changes(of: [user.id: after], limit: 1000)
    }
}

@Suite("A user's list")
struct ListTests {
    @Test("each change takes the next number, and only a conversation's last change is sent")
    func numbers() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            #expect(try await store.lists.position(of: ann.id) == 0)
            let tea = try await store.someConversation(of: ann)
            let milk = try await store.someConversation(of: ann)
            _ = try await store.say("hello", in: tea, by: ann)
            _ = try await store.conversations.update(
                ConversationUpdateRequest(conversation: tea.id, title: "Tea"),
                by: ann.id
            )
            #expect(try await store.lists.position(of: ann.id) == 4)
            let changes = try await store.changes(ann, after: 0)
            #expect(changes.map(\.u) == [2, 4])
            #expect(changes.map(\.conversation) == [milk.id, tea.id])
            #expect(changes.last?.summary?.title == "Tea")
            #expect(changes.last?.summary?.systemPrompt == nil)
            #expect(try await store.changes(ann, after: 4).isEmpty)
        }
    }

    @Test("messages of others are unread until they are read, for each member separately")
    func unread() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: tea.id, user: bob.name),
                by: ann.id
            )
            _ = try await store.say("hello", in: tea, by: ann)
            #expect(try await store.listed(tea, of: ann)?.unread == 0)
            #expect(try await store.listed(tea, of: bob)?.unread == 1)
            _ = try await store.answer("hi")
            #expect(try await store.listed(tea, of: ann)?.unread == 1)
            #expect(try await store.listed(tea, of: bob)?.unread == 2)
            func read(_ user: User, _ n: Int64) async throws -> Int {
                let request = ConversationReadRequest(conversation: tea.id, n: n)
                return try await store.lists.markRead(request, by: user.id)
            }
            // Event 1 made Bob a member, 2 to 4 are the turn, 5 is the answer's end.
            #expect(try await read(bob, 2) == 1)
            #expect(try await read(bob, 1) == 1, "what was read stays read")
            let before = try await store.lists.position(of: bob.id)
            #expect(try await read(bob, 99) == 0)
            #expect(try await store.lists.position(of: bob.id) == before + 1)
            #expect(try await read(bob, 99) == 0)
            #expect(try await store.lists.position(of: bob.id) == before + 1, "nothing changed")
            #expect(try await store.listed(tea, of: bob)?.unread == 0)
            #expect(try await store.listed(tea, of: ann)?.unread == 1)
            let eve = try await store.someone()
            #expect(await refusal { _ = try await read(eve, 1) } == .notFound)
        }
    }

    @Test("a queued or running answer is in the list, and so is its end")
    func running() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            let reply = try await store.say("hello", in: tea, by: ann)
            _ = try await store.say("and", in: tea, by: ann)
            #expect(try await store.listed(tea, of: ann)?.running == 2)
            _ = try await store.answer("hi")
            #expect(try await store.changes(ann, after: 3).map(\.summary?.running) == [1])
            _ = try await store.runs.stopWaiting(reply.answer.id, in: tea.id)
            _ = try await store.answer("well")
            #expect(try await store.changes(ann, after: 4).map(\.summary?.running) == [0])
        }
    }

    @Test("a member who leaves, is removed or loses a deleted conversation gets its removal")
    func unlisted() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            let add = MemberAddRequest(conversation: tea.id, user: bob.name)
            let remove = MemberRemoveRequest(conversation: tea.id, user: bob.id)
            _ = try await store.conversations.addMember(add, by: ann.id)
            _ = try await store.conversations.removeMember(remove, by: ann.id)
            let gone = try await store.changes(bob, after: 1)
            #expect(gone.map(\.u) == [2])
            #expect(gone.first?.conversation == tea.id)
            #expect(gone.first?.summary == nil)
            #expect(try await store.listed(tea, of: ann)?.members.count == 1)

            _ = try await store.conversations.addMember(add, by: ann.id)
            #expect(try await store.changes(bob, after: 2).map(\.summary?.id) == [tea.id])
            _ = try await store.conversations.delete(tea.id, by: ann.id)
            #expect(try await store.changes(bob, after: 3).map(\.summary?.id) == [nil])
            #expect(try await store.changes(ann, after: 0).map(\.summary?.id) == [nil])
        }
    }

    @Test("a list is resynchronized by changes, or completely if they are too many or unknown")
    func resynchronizing() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            for _ in 0..<5 { _ = try await store.someConversation(of: ann) }
            func resynchronize(_ after: Int64, _ limit: Int) async throws -> ConversationListReply {
                try await store.lists.changes(
                    of: ann.id,
                    after: after,
                    changeLimit: limit,
                    pageLimit: 3
                )
            }
            let few = try await resynchronize(3, 2)
            #expect(few.reset == nil)
            #expect(few.conversations.map(\.u) == [4, 5])
            #expect(few.unlisted?.isEmpty == true)
            #expect(few.u == 5)
            for (after, limit) in [(2, 2), (6, 10), (-1, 10)] as [(Int64, Int)] {
                let complete = try await resynchronize(after, limit)
                #expect(complete.reset == true)
                #expect(complete.conversations.count == 3)
                #expect(complete.cursor != nil)
                #expect(complete.u == 5)
            }
        }
    }

    @Test("many lists are read in one query, each from its own number and with its own limit")
    func together() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            for _ in 0..<3 { _ = try await store.someConversation(of: ann) }
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: tea.id, user: bob.name, role: .viewer),
                by: ann.id
            )
            let changes = try await store.lists.changes(of: [ann.id: 2, bob.id: 0], limit: 2)
            let anns = changes.filter { $0.user == ann.id }
            #expect(anns.map(\.u) == [3, 4])
            let bobs = changes.filter { $0.user == bob.id }
            #expect(bobs.map(\.u) == [1])
            #expect(bobs.first?.summary?.role == .viewer)
            #expect(bobs.first?.summary?.members.count == 2)
            let known = [ann.id: Int64(4), bob.id: 1]
            #expect(try await store.lists.positions(after: known) == [ann.id: 5])
            #expect(try await store.lists.positions(in: [tea.id]) == [ann.id: 5, bob.id: 1])
        }
    }
}
