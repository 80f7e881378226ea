import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Testing

@Suite("The queue of runs")
struct GenerationTests {
    private static let done = RunOutcome(text: "done", state: .complete, finish: .stop)

    @Test("returns each user's first question before any user's second one")
    func fairness() async throws {
        try await withStore { store, _ in
            let users = [try await store.someone(), try await store.someone()]
            var asked: [MessageID] = []
            for user in [users[0], users[0], users[0], users[1], users[1]] {
                let conversation = try await store.someConversation(of: user)
                asked.append(try await store.say("q", in: conversation, by: user).answer.id)
            }
            let fair = [asked[0], asked[3], asked[1], asked[4], asked[2]]
            var claimed: [MessageID] = []
            while let run = try await store.claimRun(node: UUID(), lease: .seconds(60)) {
                claimed.append(run.message)
            }
            #expect(claimed == fair)
        }
    }

    @Test("returns one answer of a conversation at a time")
    func oneAtATime() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let first = try await store.say("one", in: conversation, by: ann)
            let second = try await store.say("two", in: conversation, by: ann)
            #expect(second.message.parent == first.answer.id)
            let node = UUID()
            let run = try #require(try await store.claimRun(node: node, lease: .seconds(60)))
            #expect(run.message == first.answer.id)
            #expect(try await store.claimRun(node: node, lease: .seconds(60)) == nil)
            _ = try await store.runs.finish(run, Self.done)
            let next = try await store.claimRun(node: node, lease: .seconds(60))
            #expect(next?.message == second.answer.id)
        }
    }

    private final class Collector {
        var runs: [MessageID] = []
    }

    @Test("assigns no run to two nodes, however many claim at once")
    func racingClaims() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone()
            for _ in 0..<20 {
                _ = try await store.say("q", in: try await store.someConversation(of: ann), by: ann)
            }
            let claimed = Collector()
            let tasks = (0..<40).map { _ in
                loop.spawn {
                    let run = try? await store.claimRun(node: UUID(), lease: .seconds(60))
                    if let run { claimed.runs.append(run.message) }
                }
            }
            for task in tasks { await task.wait() }
            #expect(!claimed.runs.isEmpty)
            #expect(Set(claimed.runs).count == claimed.runs.count)
        }
    }

    @Test("a run with an expired lease is taken over under a new run id")
    func takingOver() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("q", in: conversation, by: ann)
            let dead = try #require(try await store.claimRun(node: UUID(), lease: .seconds(-1)))
            let node = UUID()
            let next = try #require(try await store.claimRun(node: node, lease: .seconds(60)))
            #expect(next.message == dead.message)
            #expect(next.run != dead.run)
            // The first claim has counted an attempt.
            #expect((next.attempt, next.isRestart) == (2, true))
            #expect(try await store.runs.begin(next, node: node) != nil)
            // The first node was alive after all; its result has no effect.
            #expect(try await store.runs.finish(dead, Self.done) == nil)
            #expect(try await store.runs.finish(next, Self.done) != nil)
            #expect(try await store.runs.finish(next, Self.done) == nil)
        }
    }

    @Test("a renewed lease is kept, and a released one is free at once")
    func leases() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            _ = try await store.say("q", in: try await store.someConversation(of: ann), by: ann)
            let node = UUID()
            let run = try #require(try await store.claimRun(node: node, lease: .seconds(-1)))
            let renewed = try await store.queue.renewLeases(
                of: [run.message],
                node: node,
                lease: .seconds(60)
            )
            #expect(renewed.messages == [run.message])
            #expect(
                try await store.queue.renewLeases(
                    of: [run.message],
                    node: UUID(),
                    lease: .seconds(60)
                )
                .messages.isEmpty
            )
            #expect(try await store.claimRun(node: UUID(), lease: .seconds(60)) == nil)
            try await store.queue.releaseLeases(node: node)
            let next = try await store.claimRun(node: UUID(), lease: .seconds(60))
            #expect(next?.attempt == 1)
            #expect(next?.run != run.run)
        }
    }

    @Test("a queued answer that is stopped leaves the queue, a running one does not")
    func stopping() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let waiting = try await store.say("q", in: conversation, by: ann).answer
            let event = try await store.runs.stopWaiting(waiting.id, in: conversation.id)
            #expect(event?.name == .messageStopped)
            #expect(try await store.runs.stopWaiting(waiting.id, in: conversation.id) == nil)
            let growing = try await store.say("q", in: conversation, by: ann).answer
            _ = try await store.claimRun(node: UUID(), lease: .seconds(60))
            #expect(try await store.runs.stopWaiting(growing.id, in: conversation.id) == nil)
        }
    }

    @Test("the input of a run is its branch, of which the newest messages are kept")
    func input() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann, prompt: "be brief")
            for turn in 0..<3 {
                _ = try await store.say("q\(turn)", in: conversation, by: ann)
                _ = try await store.answer("a\(turn)")
            }
            _ = try await store.say("last", in: conversation, by: ann)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            let whole = try await store.context.input(of: run, messageLimit: 100)
            #expect(whole.systemPrompt == "be brief")
            #expect(whole.branch.map(\.text) == ["q0", "a0", "q1", "a1", "q2", "a2", "last"])
            #expect(whole.branch.map(\.role).suffix(3) == ["user", "assistant", "user"])
            #expect(whole.olderMessageCount == 0)
            let part = try await store.context.input(of: run, messageLimit: 3)
            #expect(part.branch.map(\.text) == ["q2", "a2", "last"])
            #expect(part.olderMessageCount == 4)
        }
    }
}
