import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("Claims of selected runs")
struct ClaimTests {
    @Test("a run behind another one of its conversation cannot be claimed")
    func order() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let first = try await store.say("one", in: conversation, by: ann).answer.id
            let second = try await store.say("two", in: conversation, by: ann).answer.id
            let node = UUID()
            #expect(try await store.queue.claim([second], node: node, lease: .seconds(60)).isEmpty)
            let both = try await store.queue.claim(
                [second, first],
                node: node,
                lease: .seconds(60)
            )
            #expect(both.map(\.message) == [first])
            #expect(try await store.queue.claim([first], node: UUID(), lease: .seconds(60)).isEmpty)
        }
    }

    @Test("an ended or unknown run cannot be claimed")
    func gone() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let answer = try await store.say("one", in: conversation, by: ann).answer.id
            _ = try await store.runs.stopWaiting(answer, in: conversation.id)
            let claimed = try await store.queue.claim(
                [answer, .make()],
                node: UUID(),
                lease: .seconds(60)
            )
            #expect(claimed.isEmpty)
        }
    }

    @Test("the row has the estimated prompt length, and the node with a warm cache")
    func estimates() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("one", in: conversation, by: ann)
            let before = try #require(try await store.queue.rows(limit: 9).first)
            #expect((1...100).contains(before.answer.promptTokens))
            #expect(before.answer.warmNode == nil && !before.isLeased)
            let node = UUID()
            let run = try #require(try await store.claimRun(node: node, lease: .seconds(60)))
            let running = try #require(try await store.queue.rows(limit: 9).first)
            #expect(running.isLeased && running.owner == node)
            let usage = Usage(
                promptTokens: 700,
                cachedTokens: 0,
                completionTokens: 50,
                timeToFirstTokenMilliseconds: 1,
                tokensPerSecond: 1
            )
            _ = try await store.runs.finish(
                run,
                RunOutcome(text: "done", state: .complete, finish: .stop, usage: usage)
            )
            _ = try await store.say("two", in: conversation, by: ann)
            let after = try #require(try await store.queue.rows(limit: 9).first)
            #expect((750...800).contains(after.answer.promptTokens))
            #expect(after.answer.warmNode == node)
        }
    }

    @Test("a user's list contains their queued and running answers, and no others")
    func list() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let other = try await store.someConversation(of: bob)
            let first = try await store.say("one", in: conversation, by: ann).answer.id
            _ = try await store.say("not hers", in: other, by: bob)
            let second = try await store.say("two", in: conversation, by: ann).answer.id
            _ = try await store.queue.claim([first], node: UUID(), lease: .seconds(60))
            let mine = try await store.queue.generations(of: ann.id, limit: 10)
            #expect(mine.map(\.message) == [first, second])
            #expect(mine.map(\.state) == [.streaming, .queued])
            #expect(mine.allSatisfy { $0.priority == .interactive })
        }
    }
}
