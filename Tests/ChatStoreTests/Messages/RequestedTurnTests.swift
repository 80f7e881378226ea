import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("A turn of OpenAI's API in the database")
struct RequestedTurnTests {
    private func turn(_ questions: [String] = ["q"], answers: Int = 1) -> RequestedTurn {
        var turn = RequestedTurn(
            model: "demo",
            systemPrompt: "",
            history: [],
            questions: questions,
            settings: GenerationSettings(maxTokens: 100, seed: 7)
        )
        turn.answerCount = answers
        return turn
    }

    private func send(
        _ turn: RequestedTurn,
        to store: Store,
        by user: User,
        key: String = UUID().uuidString,
        _ limits: QueueLimits = wide
    ) async throws -> RequestedTurnReply {
        try await store.messages.send(
            turn,
            as: RequestedTurn.IDs(for: turn),
            key: key,
            promptTokens: turn.questions.map { _ in 50 },
            by: user,
            limits: limits
        ).value
    }

    /// The inputs of all queued runs, which are ended, by their answers.
    private func inputs(_ store: Store) async throws -> [MessageID: RunInput] {
        var inputs: [MessageID: RunInput] = [:]
        while let run = try await store.claimRun(node: UUID(), lease: .seconds(60)) {
            inputs[run.message] = try await store.context.input(of: run, messageLimit: 100)
            let outcome = RunOutcome(text: "a", state: .complete, finish: .stop)
            _ = try await store.runs.finish(run, outcome)
        }
        return inputs
    }

    @Test("has its options in every run, and the number of each of its answers")
    func answers() async throws {
        try await withStore { store, _ in
            let user = try await store.someone()
            var turn = turn(answers: 3)
            turn.options.frequencyPenalty = 0.5
            turn.options.logitBias = [.init(token: 5, bias: -100)]
            let reply = try await send(turn, to: store, by: user, key: "k")
            #expect(reply.answers.count == 3)
            // Repeated, it is the same.
            let again = try await send(turn, to: store, by: user, key: "k")
            #expect(again.answers.map(\.id) == reply.answers.map(\.id))
            let inputs = try await inputs(store)
            #expect(inputs.count == 3)
            let ordered = reply.answers.compactMap { inputs[$0.id] }
            #expect(ordered.map(\.answerIndex) == [0, 1, 2])
            #expect(ordered.allSatisfy { $0.options == turn.options && $0.rawPrompt == nil })
            #expect(ordered.allSatisfy { $0.branch.map(\.text) == ["q"] })
        }
    }

    @Test("has a prompt without a template for each of its questions")
    func rawPrompts() async throws {
        try await withStore { store, _ in
            let user = try await store.someone()
            var turn = turn(["a", "b"], answers: 2)
            turn.options.rawPrompts = [.text, .tokens([3, 4])]
            let reply = try await send(turn, to: store, by: user)
            let inputs = try await inputs(store)
            let ordered = reply.answers.compactMap { inputs[$0.id] }
            #expect(ordered.map { $0.branch.map(\.text) } == [["a"], ["a"], ["b"], ["b"]])
            let tokens = RawPrompt.tokens([3, 4])
            #expect(ordered.map(\.rawPrompt) == [.text, .text, tokens, tokens])
            #expect(ordered.map(\.answerIndex) == [0, 1, 0, 1])
            let last = try #require(reply.answers.last)
            #expect(try await store.context.rawPrompt(of: last.id) == tokens)
        }
    }

    @Test("is stored as a whole, or not at all: each answer takes a place and its tokens")
    func limits() async throws {
        try await withStore { store, _ in
            let user = try await store.someone()
            func isRefused(_ answers: Int, _ limits: QueueLimits) async -> ErrorCode? {
                let turn = turn(answers: answers)
                return await refusal { _ = try await send(turn, to: store, by: user, limits) }
            }
            var limits = wide
            limits.perUser = 2
            #expect(await isRefused(3, limits) == .busy)
            limits = wide
            // An answer takes 100 tokens and its prompt of 50.
            limits.budgetPerUser = TokenBudget(daily: 400)
            #expect(await isRefused(3, limits) == .budgetExceeded)
            #expect(try await inputs(store).isEmpty)
            #expect(await isRefused(2, limits) == nil)
            #expect(await isRefused(1, limits) == .budgetExceeded)
            #expect(try await inputs(store).count == 2)
        }
    }

    @Test("cannot be referred to once it is deleted, and is gone with the last one")
    func deletion() async throws {
        try await withStore { store, _ in
            let user = try await store.someone()
            let stranger = try await store.someone()
            var first = turn()
            first.isStored = true
            let reply = try await send(first, to: store, by: user)
            let answer = reply.answers[0].id
            _ = try await store.answer("a")
            var next = turn(["more"])
            next.isStored = true
            next.place = .init(conversation: reply.conversation, parent: answer)
            let later = try await send(next, to: store, by: user).answers[0].id
            _ = try await store.answer("b")
            func delete(_ id: MessageID, _ asker: User) async throws -> Bool {
                try await store.messages.deleteResponse(id, in: reply.conversation, of: asker.id)
            }
            func isThere(_ id: MessageID) async -> Bool {
                await refusal { _ = try await store.messages.continued(id, for: user.id) } == nil
            }
            #expect(try await !delete(answer, stranger))
            #expect(await isThere(answer))
            #expect(try await !delete(answer, user))
            #expect(await !isThere(answer))
            let continued = try await store.messages.continued(later, for: user.id)
            #expect(continued.branch.map(\.text) == ["q", "a", "more", "b"])
            #expect(try await !delete(answer, user))
            #expect(try await delete(later, user))
            #expect(await !isThere(later))
        }
    }
}
