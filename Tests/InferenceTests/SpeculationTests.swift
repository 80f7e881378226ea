import Checkpoints
import Inference
import PhiModel
import Testing
import Tokenizers

@Suite("Speculation")
struct SpeculationTests {
    private let model: LoadedModel

    init() throws {
        model = try DemoModel.load()
    }

    // MARK: - Requests and answers

    /// A conversation that ends with a question, and whose turns repeat each other.
    private func request(
        _ id: UInt64,
        _ turns: [String],
        sampling: SamplingParameters = .greedy,
        maxNewTokens: Int = 80,
        stopStrings: [String] = [],
        scope: String? = nil
    ) -> GenerationRequest {
        let messages = turns.enumerated().map { index, text in
            ChatMessage(role: index.isMultiple(of: 2) ? "user" : "assistant", content: text)
        }
        return GenerationRequest(
            id: id,
            prompt: model.template.encode(messages, addGenerationPrompt: true).tokens,
            sampling: sampling,
            maxNewTokens: maxNewTokens,
            stopStrings: stopStrings,
            cacheScope: scope
        )
    }

    /// Conversations in which answers are repeated, exactly or nearly.
    private func conversations(keeping bits: KeyValueBits = .sixteen) async throws -> [[String]] {
        let questions = [
            "What is the capital of Finland?", "What is the capital of France?",
            "Count from 1 to 20.", "Tell me a long story.",
        ]
        var answers: [String] = []
        for question in questions {
            let alone = try await run([request(1, [question])], speculates: false, keeping: bits)
            answers.append(try #require(alone[1]).text)
        }
        return [
            [questions[0], answers[0], questions[0]],
            [questions[0], answers[0], questions[1]],
            [questions[2], answers[2], questions[2]],
            [questions[3], answers[3], questions[3]],
            [questions[1], answers[1], questions[0], answers[0], questions[1]],
        ]
    }

    /// The answers of an engine to requests, sequentially or concurrently. Its clock stands still,
    /// so the policy uses its initial costs.
    private func run(
        _ requests: [GenerationRequest],
        speculates: Bool,
        atOnce: Bool = false,
        keeping bits: KeyValueBits = .sixteen
    ) async throws -> [UInt64: Answer] {
        let log = EventLog()
        let start = ContinuousClock.now
        let engine = try Engine(
            model: model.keeping(bits),
            configuration: EngineConfiguration(slots: 3, speculates: speculates),
            now: { start },
            sink: log.sink
        )
        var answers: [UInt64: Answer] = [:]
        for request in requests {
            try engine.submit(request)
            if !atOnce { answers[request.id] = await log.answer() }
        }
        if atOnce { answers = await log.answers(requests.count) }
        engine.shutdown()
        return answers
    }

    /// All events of an answer except the number of drafts and the progress of its prompt, which
    /// depends on other requests.
    private func told(_ answer: Answer?) -> [TokenEvent] {
        (answer?.events ?? []).compactMap { event -> TokenEvent? in
            switch event {
            case .progress: return nil
            case .finished(let id, var completion):
                completion.draftedTokens = 0
                completion.acceptedTokens = 0
                return .finished(id: id, completion: completion)
            case .started, .text, .failed: return event
            }
        }
    }

    /// Runs requests with and without drafts, and expects equal events: texts, tokens, counts,
    /// receipts.
    /// - Returns: the answers with drafts.
    @discardableResult
    private func expectSame(
        _ requests: [GenerationRequest],
        atOnce: Bool = false,
        keeping bits: KeyValueBits = .sixteen,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [UInt64: Answer] {
        let with = try await run(requests, speculates: true, atOnce: atOnce, keeping: bits)
        let without = try await run(requests, speculates: false, atOnce: atOnce, keeping: bits)
        for request in requests {
            let answer = told(with[request.id])
            #expect(answer.last?.isLast == true, sourceLocation: sourceLocation)
            #expect(answer == told(without[request.id]), sourceLocation: sourceLocation)
            #expect(without[request.id]?.completion?.draftedTokens == 0)
        }
        return with
    }

    private func drafted(_ answers: [UInt64: Answer]) -> (accepted: Int, rejected: Int) {
        let completions = answers.values.compactMap(\.completion)
        let accepted = completions.reduce(0) { $0 + $1.acceptedTokens }
        return (accepted, completions.reduce(0) { $0 + $1.draftedTokens } - accepted)
    }

    // MARK: - The same answers

    @Test(
        "greedy answers are the same token by token, and drafts among them right and wrong",
        arguments: KeyValueBits.allCases
    )
    func greedy(bits: KeyValueBits) async throws {
        let requests = try await conversations(keeping: bits).enumerated().map { index, turns in
            request(UInt64(index), turns)
        }
        let counts = drafted(try await expectSame(requests, keeping: bits))
        #expect(counts.accepted > 10)
        #expect(counts.rejected > 0)
    }

    @Test("sampled answers are the same token by token, and so their distribution")
    func sampled() async throws {
        var requests: [GenerationRequest] = []
        for turns in try await conversations() {
            for (temperature, topP, topK) in [(0.7, 1.0, 0), (1.0, 0.9, 0), (1.5, 1.0, 40)] {
                let sampling = try SamplingParameters(
                    temperature: temperature,
                    topP: topP,
                    topK: topK,
                    repetitionPenalty: 1.05,
                    frequencyPenalty: topK > 0 ? 0.5 : 0,
                    seed: UInt64(requests.count)
                )
                requests.append(request(UInt64(requests.count), turns, sampling: sampling))
            }
        }
        let counts = drafted(try await expectSame(requests))
        #expect(counts.accepted > 0)
        #expect(counts.rejected > 0)
    }

    @Test("other answers in a batch change nothing, with or without drafts")
    func together() async throws {
        let requests = try await conversations().enumerated().map { index, turns in
            request(UInt64(index), turns)
        }
        try await expectSame(requests, atOnce: true)
    }

    @Test(
        "rejected drafts do not affect other conversations or the next turn",
        arguments: KeyValueBits.allCases
    )
    func cached(bits: KeyValueBits) async throws {
        var requests: [GenerationRequest] = []
        for (index, turns) in try await conversations(keeping: bits).enumerated() {
            for length in stride(from: 1, through: turns.count, by: 2) {
                let turns = Array(turns[..<length])
                requests.append(request(UInt64(requests.count), turns, scope: "\(index % 2)"))
            }
        }
        let answers = try await expectSame(requests + [requests[2]], keeping: bits)
        #expect(drafted(answers).accepted > 0)
        #expect(answers.values.contains { ($0.completion?.cachedTokens ?? 0) > 0 })
    }

    // MARK: - Ends inside drafts

    @Test("the token limit is exact, also inside drafts")
    func length() async throws {
        let turns = try await conversations()[0]
        let requests = (1...24).map { limit in
            request(UInt64(limit), turns, maxNewTokens: limit)
        }
        let answers = try await expectSame(requests)
        for limit in 1...24 {
            let completion = answers[UInt64(limit)]?.completion
            #expect((completion?.completionTokens ?? .max) <= limit)
        }
        #expect(drafted(answers).accepted > 0)
    }

    @Test("a stop string ends the answer before it, also inside drafts")
    func stopStrings() async throws {
        let turns = try await conversations()[0]
        let characters = Array(turns[1])
        try #require(characters.count > 4)
        let requests = (0..<(characters.count - 3)).map { start in
            request(
                UInt64(start),
                turns,
                stopStrings: [String(characters[start..<(start + 3)])]
            )
        }
        let answers = try await expectSame(requests)
        #expect(answers.values.contains { $0.completion?.finish == .stop && $0.text.count > 5 })
    }

    @Test("an answer cancelled after several tokens of a pass has exactly these")
    func stopped() async throws {
        let turns = try await conversations()[2]
        let whole = try await run([request(1, turns)], speculates: false)
        let wholeIDs = try #require(whole[1]?.completion?.receipt?.answer.ids)

        let log = EventLog()
        let reference = EngineReference()
        let start = ContinuousClock.now
        let engine = try Engine(
            model: model,
            configuration: .standard,
            now: { start },
            sink: { batch in
                let texts = batch.count { if case .text(1, _, _, _) = $0 { true } else { false } }
                if texts > 1 { reference.use { $0.cancel(1) } }
                log.sink(batch)
            }
        )
        reference.set(engine)
        try engine.submit(request(1, turns, scope: "c"))
        let answer = await log.answer()
        #expect(answer.finish == .stopped)
        let ids = try #require(answer.completion?.receipt?.answer.ids)
        #expect(ids.count < wholeIDs.count)
        #expect(ids[...] == wholeIDs.prefix(ids.count))
        #expect(answer.completion?.completionTokens == ids.count)
        #expect(answer.tokens.joined().elementsEqual(ids))

        // Its cached pages are valid: generating the answer again gives the complete one.
        try engine.submit(request(2, turns, scope: "c"))
        #expect(await log.answer().completion?.receipt?.answer.ids == wholeIDs)
    }

    @Test("an answer continues from any prefix as without drafts")
    func continuation() async throws {
        let turns = try await conversations()[0]
        let sampling = try SamplingParameters(temperature: 0.8, seed: 3)
        let first = request(0, turns, sampling: sampling)
        let whole = try await run([first], speculates: false)
        let ids = try #require(whole[0]?.completion?.receipt?.answer.ids)
        let requests = ids.indices.map { count in
            var request = first
            request.id = UInt64(count)
            request.answerPrefix = Array(ids[..<count])
            return request
        }
        let answers = try await expectSame(requests)
        for answer in answers.values {
            #expect(answer.completion?.receipt?.answer.ids == ids)
        }
    }

    @Test("an engine without speculation drafts nothing")
    func off() async throws {
        let requests = try await conversations().enumerated().map { index, turns in
            request(UInt64(index), turns)
        }
        let counts = drafted(try await run(requests, speculates: false))
        #expect(counts.accepted == 0)
        #expect(counts.rejected == 0)
    }
}
