import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("Claims by the transaction that stores a turn")
struct TurnClaimTests {
    /// A user with a conversation, and a node with free slots.
    private struct Scene {
        let store: Store
        let node = UUID()
        let ann: User
        let conversation: Conversation

        init(_ store: Store) async throws {
            self.store = store
            ann = try await store.someone()
            conversation = try await store.someConversation(of: ann)
        }

        func limits(
            slots: Int = 1,
            lease: Duration = .seconds(60),
            of models: ModelFilter = .allBut([])
        ) -> QueueLimits {
            var limits = wide
            limits.freeSlots = FreeSlots(node: node, lease: lease, count: slots, models: models)
            return limits
        }

        func say(_ limits: QueueLimits) async throws -> (MessageSendReply, QueueRow) {
            let request = MessageSendRequest(
                conversation: conversation.id,
                key: UUID().uuidString,
                text: "q"
            )
            let committed = try await store.messages.send(request, by: ann, limits: limits)
            return (committed.value, try #require(committed.queued.first))
        }

        func turn(_ questions: [String] = ["q"], answers: Int = 1) -> RequestedTurn {
            var turn = RequestedTurn(
                model: "demo",
                systemPrompt: "be kind",
                history: [.init(role: .user, text: "one"), .init(role: .assistant, text: "two")],
                questions: questions,
                settings: GenerationSettings(maxTokens: 100, seed: 7)
            )
            turn.answerCount = answers
            return turn
        }

        func send(
            _ turn: RequestedTurn,
            _ limits: QueueLimits
        ) async throws -> Committed<RequestedTurnReply> {
            try await store.messages.send(
                turn,
                as: RequestedTurn.IDs(for: turn),
                key: nil,
                promptTokens: turn.questions.map { _ in 50 },
                by: ann,
                limits: limits
            )
        }
    }

    @Test("a turn that is stored while a slot is free is claimed, and its attempt is counted")
    func claimed() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let (reply, row) = try await scene.say(scene.limits())
            let claim = try #require(row.claim)
            #expect(claim.message == reply.answer.id && claim.run == reply.answer.run)
            #expect(claim.attempt == 1 && !claim.isRestart && claim.createdN == reply.n)
            // Clients are told that it has started once it has.
            #expect(reply.answer.state == .queued)
            let stored = try #require(try await store.queue.rows(limit: 9).first)
            #expect(stored.isLeased && stored.owner == scene.node && !stored.answer.hasBegun)
            let page = try await store.messages.page(
                of: scene.conversation.id,
                before: nil,
                limit: 9,
                for: scene.ann.id
            )
            #expect(page.messages.last?.state == .streaming)
            let others = try await store.queue.claim(
                [claim.message],
                node: UUID(),
                lease: .seconds(60)
            )
            #expect(others.isEmpty)
            let start = try #require(try await store.runs.begin(claim, node: scene.node))
            #expect((start.attempts, start.tries, start.isTakeover) == (1, 1, false))
            let outcome = RunOutcome(text: "a", state: .complete, finish: .stop)
            #expect(try await store.runs.finish(claim, outcome) != nil)
        }
    }

    @Test("a claimed run whose node died before it began is taken over as a second attempt")
    func takenOver() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let (_, row) = try await scene.say(scene.limits(lease: .seconds(-1)))
            let lost = try #require(row.claim)
            let other = UUID()
            let next = try #require(try await store.claimRun(node: other, lease: .seconds(60)))
            #expect(next.message == lost.message && next.run != lost.run)
            #expect(next.isRestart && next.attempt == 2)
            let start = try #require(try await store.runs.begin(next, node: other))
            #expect((start.attempts, start.tries, start.isTakeover) == (2, 2, true))
            let held = try await store.queue.renewLeases(
                of: [lost.message],
                node: scene.node,
                lease: .seconds(60)
            )
            #expect(held.messages.isEmpty)
        }
    }

    @Test("a turn behind another unfinished answer of its conversation is queued")
    func following() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let (_, first) = try await scene.say(scene.limits(slots: 2))
            let (_, second) = try await scene.say(scene.limits(slots: 2))
            #expect(first.claim != nil && second.claim == nil && !second.isLeased)
        }
    }

    @Test("a turn is queued if no slot is free, or none for its model or its cached prompt")
    func unsuitable() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            func isQueued(_ limits: QueueLimits) async throws -> Bool {
                let (reply, row) = try await scene.say(limits)
                let id = scene.conversation.id
                if let claim = row.claim {
                    let outcome = RunOutcome(text: "a", state: .complete, finish: .stop)
                    _ = try await store.runs.finish(claim, outcome)
                } else {
                    _ = try await store.runs.stopWaiting(reply.answer.id, in: id)
                }
                return row.claim == nil
            }
            #expect(try await isQueued(wide))
            #expect(try await isQueued(scene.limits(slots: 0)))
            #expect(try await isQueued(scene.limits(of: .allBut(["demo"]))))
            #expect(try await !isQueued(scene.limits()))
            // From now on the node has the conversation in its cache.
            #expect(try await !isQueued(scene.limits()))
            var elsewhere = wide
            elsewhere.freeSlots = FreeSlots(
                node: UUID(),
                lease: .seconds(60),
                count: 1,
                models: .allBut([])
            )
            #expect(try await isQueued(elsewhere))
        }
    }

    @Test("of a request's answers, as many are claimed as there are slots")
    func severalAnswers() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let committed = try await scene.send(scene.turn(answers: 3), scene.limits(slots: 2))
            #expect(committed.queued.map { $0.claim != nil } == [true, true, false])
            #expect(committed.events.compactMap(\.n) == [1, 2, 3, 4])
            let rows = try await store.queue.rows(limit: 9)
            #expect(rows.map(\.isLeased) == [true, true, false])
        }
    }

    @Test("the input that comes with a claim is the one that a run reads from the database")
    func inputs() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            var raw = scene.turn(["a", "b"], answers: 2)
            raw.history = []
            raw.options.rawPrompts = [.text, .tokens([3, 4])]
            for turn in [scene.turn(answers: 2), scene.turn(), raw] {
                let committed = try await scene.send(turn, scene.limits(slots: 9))
                for row in committed.queued {
                    let claim = try #require(row.claim)
                    let known = try #require(row.input)
                    let read = try await store.context.input(of: claim, messageLimit: 100)
                    #expect("\(known)" == "\(read)")
                }
            }
        }
    }

    @Test("a request of a disabled account is refused")
    func disabled() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let admin = try await store.accounts.addUser(
                name: "admin",
                passwordHash: "none",
                isAdmin: true
            )
            try await store.accounts.disable(scene.ann.id, by: Actor(admin))
            let code = await refusal { _ = try await scene.send(scene.turn(), scene.limits()) }
            #expect(code == .notFound)
            #expect(try await store.queue.rows(limit: 9).isEmpty)
        }
    }
}
