import ChatProtocol
import ChatStore
import EventLoop
import TestSupport
import Testing

extension Store {
    fileprivate func pin(
        _ conversation: ConversationID,
        _ pinned: Bool = true,
        by user: User
    ) async throws {
        let request = ConversationPinRequest(conversation: conversation, pinned: pinned)
        try await lists.pin(request, by: user.id)
    }

    fileprivate func listed(of user: User, archived: Bool = false) async throws -> [Conversation] {
        try await lists.conversations(of: user.id, cursor: nil, limit: 200, archived: archived)
            .conversations
    }
}

@Suite("Pinned conversations")
struct PinTests {
    @Test("come first in the list of whoever pinned them, and of nobody else")
    func order() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let tea = try await store.shared(ann, bob)
            let milk = try await store.shared(ann, bob)
            let u = try await store.lists.position(of: ann.id)
            let others = try await store.lists.position(of: bob.id)
            for _ in 0..<2 { try await store.pin(tea.id, by: ann) }
            #expect(try await store.listed(of: ann).map(\.id) == [tea.id, milk.id])
            #expect(try await store.listed(of: ann).map(\.pinned) == [true, nil])
            #expect(try await store.listed(of: bob).map(\.id) == [milk.id, tea.id])
            #expect(try await store.listed(of: bob).allSatisfy { $0.pinned == nil })

            // Ann's other devices get one change; Bob's list has none.
            let changes = try await store.lists.changes(of: [ann.id: u, bob.id: others], limit: 9)
            #expect(changes.map(\.u) == [u + 1])
            guard case .listed(let summary) = changes.first?.subject else {
                Issue.record("\(changes)")
                return
            }
            #expect(summary.id == tea.id && summary.pinned == true)

            for _ in 0..<2 { try await store.pin(tea.id, false, by: ann) }
            #expect(try await store.listed(of: ann).map(\.id) == [milk.id, tea.id])
            #expect(try await store.lists.position(of: ann.id) == u + 2)
        }
    }

    @Test("are in the list: archiving unpins, and pinning brings back")
    func archived() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            try await store.pin(tea.id, by: ann)
            let archive = ConversationArchiveRequest(conversation: tea.id, archived: true)
            try await store.lifeCycle.archive(archive, by: ann.id)
            #expect(try await store.listed(of: ann).isEmpty)
            let archived = try await store.listed(of: ann, archived: true)
            #expect(archived.map(\.id) == [tea.id] && archived.first?.pinned == nil)
            try await store.pin(tea.id, false, by: ann)
            #expect(try await store.listed(of: ann).isEmpty)
            try await store.pin(tea.id, by: ann)
            #expect(try await store.listed(of: ann).map(\.pinned) == [true])
            #expect(try await store.listed(of: ann, archived: true).isEmpty)
        }
    }

    @Test("are found by their members alone")
    func strangers() async throws {
        try await withStore { store, _ in
            let (ann, eve) = (try await store.someone(), try await store.someone())
            let tea = try await store.someConversation(of: ann)
            for id in [tea.id, .make()] {
                #expect(await refusal { try await store.pin(id, by: eve) } == .notFound)
            }
            _ = try await store.conversations.delete(tea.id, by: ann.id)
            #expect(await refusal { try await store.pin(tea.id, by: ann) } == .notFound)
        }
    }

    @Test("are so many at most, also of those that are pinned at once")
    func limit() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone()
            var all: [ConversationID] = []
            for _ in 0..<(ListStore.pinsMax + 2) {
                all.append(try await store.someConversation(of: ann).id)
            }
            for id in all.dropFirst(3) { try await store.pin(id, by: ann) }
            var codes: [ErrorCode?] = []
            let tasks = all.prefix(2).map { id in
                loop.spawn { codes.append(await refusal { try await store.pin(id, by: ann) }) }
            }
            for task in tasks { await task.wait() }
            #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .limitExceeded } == 1)
            #expect(
                try await store.listed(of: ann).count { $0.pinned == true } == ListStore.pinsMax
            )

            // One that is gone makes room.
            _ = try await store.conversations.delete(all[3], by: ann.id)
            try await store.pin(all[2], by: ann)
        }
    }

    @Test("stand first in pages of any size, each once", arguments: 0..<4 as Range<UInt64>)
    func pages(seed: UInt64) async throws {
        try await withStore { store, _ in
            var generator = SeededGenerator(seed: seed)
            let ann = try await store.someone()
            var pinned: Set<ConversationID> = []
            for _ in 0..<Int.random(in: 1...14, using: &generator) {
                let conversation = try await store.someConversation(of: ann)
                guard Int.random(in: 0..<3, using: &generator) == 0 else { continue }
                try await store.pin(conversation.id, by: ann)
                pinned.insert(conversation.id)
            }
            let whole = try await store.listed(of: ann)
            #expect(whole.prefix(pinned.count).allSatisfy { pinned.contains($0.id) })
            for part in [whole.prefix(pinned.count), whole.dropFirst(pinned.count)] {
                #expect(zip(part, part.dropFirst()).allSatisfy { $0.updatedAt >= $1.updatedAt })
            }
            for limit in 1...(whole.count + 1) {
                var rows: [Conversation] = []
                var cursor: String?
                repeat {
                    let page = try await store.lists.conversations(
                        of: ann.id,
                        cursor: cursor,
                        limit: limit
                    )
                    #expect(page.conversations.count <= limit)
                    rows += page.conversations
                    cursor = page.cursor
                } while cursor != nil
                #expect(rows.map(\.id) == whole.map(\.id), "\(limit) a page")
            }
        }
    }
}
