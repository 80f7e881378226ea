// The list of held conversations.

import ChatProtocol
import ChatStore
import Testing

@Suite("Legal holds")
struct HoldTests {
    @Test("holds are listed with reason and holder, page by page, until they are released")
    func listedHolds() async throws {
        try await withSearch { store, _ in
            let (ann, admin) = (try await store.someone(), try await store.someone())
            var held: [ConversationID] = []
            for reason in ["a lawsuit", "tax", "another"] {
                let id = try await store.someConversation(of: ann).id
                held.insert(id, at: 0)
                let hold = ConversationHoldRequest(conversation: id, hold: true, reason: reason)
                try await store.lifeCycle.hold(hold, by: admin)
            }
            let free = try await store.someConversation(of: ann)
            let first = try await store.lifeCycle.holds(HoldListRequest(), limit: 2)
            #expect(first.holds.map(\.conversation) == Array(held.prefix(2)))
            #expect(first.holds.map(\.reason) == ["another", "tax"])
            #expect(first.holds.allSatisfy { $0.heldBy?.id == admin.id && $0.deletedAt == nil })
            #expect(first.cursor != nil)
            let rest = HoldListRequest(cursor: first.cursor)
            let second = try await store.lifeCycle.holds(rest, limit: 2)
            #expect(second.holds.map(\.conversation) == [held[2]])
            #expect(second.cursor == nil)

            _ = try await store.conversations.delete(held[2], by: ann.id)
            try await store.lifeCycle.hold(
                ConversationHoldRequest(conversation: held[1], hold: false),
                by: ann
            )
            let now = try await store.lifeCycle.holds(HoldListRequest(), limit: 9)
            #expect(now.holds.map(\.conversation) == [held[0], held[2]])
            #expect(now.holds.last?.deletedAt != nil)
            let one = HoldListRequest(conversation: held[0])
            #expect(try await store.lifeCycle.holds(one, limit: 9).holds.count == 1)
            let none = HoldListRequest(conversation: free.id)
            #expect(try await store.lifeCycle.holds(none, limit: 9).holds == [])
            let wrong = HoldListRequest(cursor: "x")
            await #expect { try await store.lifeCycle.holds(wrong, limit: 9) } throws: {
                ($0 as? WireError)?.code == .badRequest
            }
        }
    }
}
