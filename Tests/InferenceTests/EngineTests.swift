import Inference
import Synchronization
import Testing
import Tokenizers

@Suite("Engine")
struct EngineTests {
    private let model: LoadedModel
    private let log = EventLog()

    init() throws {
        model = try DemoModel.load()
    }

    private func engine(
        _ configuration: EngineConfiguration = .standard
    ) throws -> Engine {
        try Engine(model: model, configuration: configuration, sink: log.sink)
    }

    /// An engine whose sink calls `react` for each event on the engine's thread, between two steps,
    /// so that the engine's next action is deterministic.
    private func engine(
        _ configuration: EngineConfiguration = .standard,
        react: @escaping @Sendable (Engine, TokenEvent) -> Void
    ) throws -> Engine {
        let reference = EngineReference()
        let log = log
        let engine = try Engine(model: model, configuration: configuration) { batch in
            for event in batch { reference.use { react($0, event) } }
            log.sink(batch)
        }
        reference.set(engine)
        return engine
    }

    private static let questions = [
        "What is the capital of Finland?", "What is the opposite of hot?", "What is 3 + 4?",
        "Tell me a long story.", "Who are you?", "Write a haiku.",
    ]

    // MARK: - Answers

    @Test("the demo model knows the capital of Finland")
    func capital() async throws {
        let engine = try engine()
        let request = model.request(7, "What is the capital of Finland?")
        try engine.submit(request)
        let answer = await log.answer()
        #expect(answer.text.contains("Helsinki"))
        #expect(
            answer.events.first
                == .started(id: 7, promptTokens: request.prompt.count, cachedTokens: 0)
        )
        #expect(answer.events.filter(\.isLast).count == 1)

        let completion = try #require(answer.completion)
        #expect(completion.finish == .stop)
        #expect(completion.promptTokens == request.prompt.count)
        #expect(completion.completionTokens > 1)
        #expect(try #require(completion.timeToFirstToken) > .zero)
        #expect(try #require(completion.tokensPerSecond) > 0)
        #expect(answer.tokenCounts == answer.tokenCounts.sorted())
        #expect(try #require(answer.tokenCounts.last) <= completion.completionTokens)
        #expect(engine.capacity.running == 0)
    }

    @Test("answers are the same sequentially and concurrently, with fewer slots than requests")
    func together() async throws {
        let sampling = try SamplingParameters(temperature: 0.8, topP: 0.95, seed: 5)
        let requests = Self.questions.enumerated().map { index, question in
            model.request(
                UInt64(index),
                question,
                sampling: index % 2 == 0 ? .greedy : sampling,
                maxNewTokens: 40
            )
        }
        let engine = try engine(EngineConfiguration(slots: 3, prefillChunk: 16))
        var alone: [UInt64: String] = [:]
        for request in requests {
            try engine.submit(request)
            alone[request.id] = await log.answer().text
        }
        for request in requests { try engine.submit(request) }
        let together = await log.answers(requests.count).mapValues(\.text)
        #expect(together == alone)
        #expect(Set(alone.values).count == requests.count)
    }

    @Test("a prompt read in chunks gives the same answer and reports progress")
    func chunks() async throws {
        let request = model.request(1, "What is the capital of Finland?")
        let whole = try engine()
        try whole.submit(request)
        let wholeAnswer = await log.answer()
        let chunked = try engine(EngineConfiguration(prefillChunk: 4))
        try chunked.submit(request)
        let chunkedAnswer = await log.answer()
        #expect(chunkedAnswer.text == wholeAnswer.text)
        #expect(wholeAnswer.progress.isEmpty)
        #expect(
            chunkedAnswer.progress
                == Array(stride(from: 4, to: request.prompt.count, by: 4))
        )
    }

    @Test("text consists of whole characters, even with random sampling")
    func wholeCharacters() async throws {
        let engine = try engine()
        for seed in 0..<8 as Range<UInt64> {
            let wild = try SamplingParameters(temperature: 2, seed: seed)
            try engine.submit(model.request(seed, "Hello", sampling: wild, maxNewTokens: 100))
        }
        for answer in await log.answers(8).values {
            #expect(answer.pieces.allSatisfy { !$0.isEmpty })
            // The concatenated pieces are equal byte by byte.
            let bytes = answer.pieces.flatMap { Array($0.utf8) }
            #expect(String(validating: bytes, as: UTF8.self) == answer.text)
        }
    }

    // MARK: - Ends

    @Test("the token limit ends an answer with length")
    func length() async throws {
        let engine = try engine()
        try engine.submit(model.request(1, "Tell me a long story.", maxNewTokens: 5))
        let answer = await log.answer()
        #expect(answer.finish == .length)
        #expect(answer.completion?.completionTokens == 5)
    }

    @Test("the end of the context ends an answer with length")
    func contextEnd() async throws {
        let engine = try engine(EngineConfiguration(contextLimit: 24))
        let request = model.request(1, "Tell me a long story.", maxNewTokens: .max)
        try engine.submit(request)
        let answer = await log.answer()
        #expect(answer.finish == .length)
        #expect(answer.completion?.completionTokens == 24 - request.prompt.count)
    }

    @Test("a stop string ends the answer before it, wherever tokens split it")
    func stopStrings() async throws {
        let engine = try engine()
        try engine.submit(model.request(0, "What is the capital of Finland?"))
        let full = await log.answer().text
        let characters = Array(full)
        try #require(characters.count > 8)
        for start in 0..<(characters.count - 3) {
            let stop = String(characters[start..<(start + 3)])
            let end = try #require(full.firstRange(of: stop)).lowerBound
            try engine.submit(
                model.request(
                    1,
                    "What is the capital of Finland?",
                    stopStrings: ["never said", stop]
                )
            )
            let answer = await log.answer()
            #expect(answer.text == full[..<end])
            #expect(answer.finish == .stop)
        }
    }

    @Test("a cancel is confirmed in the next batch, and a second one does nothing")
    func cancel() async throws {
        let engine = try engine { engine, event in
            guard case .text(let id, _, _, _) = event else { return }
            engine.cancel(id)
            engine.cancel(id)
        }
        try engine.submit(model.request(1, "Tell me a long story.", maxNewTokens: 500))
        let answer = await log.answer()
        #expect(answer.finish == .stopped)
        // Nothing was computed after the cancel; another piece can only be text that was held back.
        #expect(answer.tokenCounts.count <= 2)
        #expect(answer.tokenCounts.first == answer.completion?.completionTokens)

        engine.cancel(1)
        try engine.submit(model.request(1, "Hello", maxNewTokens: 1))
        #expect(await log.answer().completion != nil)
    }

    @Test("a waiting request that is cancelled ends without starting")
    func cancelWaiting() async throws {
        let waiting = model.request(2, "Hello")
        let engine = try engine(EngineConfiguration(slots: 1)) { engine, event in
            guard case .started(id: 1, _, _) = event else { return }
            try? engine.submit(waiting)
            engine.cancel(2)
        }
        try engine.submit(model.request(1, "Tell me a long story.", maxNewTokens: 30))
        let answers = await log.answers(2)
        #expect(answers[2]?.events.count == 1)
        #expect(answers[2]?.finish == .stopped)
        #expect(answers[1]?.completion?.completionTokens == 30)
    }

    @Test("a deadline ends a waiting and a running answer")
    func deadline() async throws {
        let start = ContinuousClock.now
        let hasPassed = Atomic(false)
        let log = log
        let engine = try Engine(
            model: model,
            configuration: .standard,
            now: { hasPassed.load(ordering: .relaxed) ? start + .seconds(60) : start },
            sink: { batch in
                for case .text in batch { hasPassed.store(true, ordering: .relaxed) }
                log.sink(batch)
            }
        )
        try engine.submit(
            model.request(1, "Tell me a long story.", maxNewTokens: 500, deadline: start)
        )
        let late = await log.answer()
        #expect(late.finish == .deadline)
        #expect(late.events.count == 1)

        try engine.submit(
            model.request(
                2,
                "Tell me a long story.",
                maxNewTokens: 500,
                deadline: start + .seconds(30)
            )
        )
        let cut = await log.answer()
        #expect(cut.finish == .deadline)
        #expect(!cut.text.isEmpty)
        #expect(cut.completion?.completionTokens == cut.tokenCounts.first)
    }

    @Test("shutdown stops all requests, refuses new ones, and may be repeated")
    func shutdown() async throws {
        let waiting = [model.request(2, "Hello"), model.request(3, "Hello")]
        let engine = try engine(EngineConfiguration(slots: 1)) { engine, event in
            guard case .started(id: 1, _, _) = event else { return }
            for request in waiting { try? engine.submit(request) }
            engine.shutdown()
        }
        try engine.submit(model.request(1, "Tell me a long story.", maxNewTokens: 500))
        let answers = await log.answers(3)
        #expect(answers.count == 3)
        #expect(answers.values.allSatisfy { $0.finish == .stopped })
        engine.shutdown()
        #expect(throws: EngineError.shutDown) { try engine.submit(waiting[0]) }
        #expect(engine.capacity.running + engine.capacity.waiting == 0)
    }

    // MARK: - Refusals

    @Test("a full queue throws busy at once, and accepts requests again later")
    func busy() async throws {
        let requests = [model.request(2, "Hello", maxNewTokens: 2), model.request(3, "Hello")]
        let refusal = Mutex<EngineError?>(nil)
        let engine = try engine(EngineConfiguration(slots: 1, queueLimit: 1)) { engine, event in
            guard case .started(id: 1, _, _) = event else { return }
            do throws(EngineError) {
                for request in requests { try engine.submit(request) }
            } catch {
                refusal.withLock { $0 = error }
            }
            engine.cancel(1)
        }
        try engine.submit(model.request(1, "Tell me a long story.", maxNewTokens: 500))
        let answers = await log.answers(2)
        #expect(refusal.withLock { $0 } == .busy(queueLimit: 1))
        #expect(answers[2]?.completion?.completionTokens == 2)
        try engine.submit(model.request(3, "Hello", maxNewTokens: 2))
        #expect(await log.answer().completion?.completionTokens == 2)
    }

    @Test("a request that cannot be served is refused and gets no events")
    func refused() async throws {
        let engine = try engine(EngineConfiguration(contextLimit: 64))
        let good = model.request(1, "Hello", maxNewTokens: 2)
        func refusal(_ change: (inout GenerationRequest) -> Void) -> EngineError? {
            var request = good
            change(&request)
            do {
                try engine.submit(request)
                return nil
            } catch {
                return error
            }
        }
        #expect(
            refusal { $0.prompt = Array(repeating: 1, count: 64) }
                == .promptTooLong(promptTokens: 64, contextLength: 64)
        )
        #expect(refusal { $0.prompt = [] } == .invalidRequest("the prompt is empty"))
        #expect(refusal { $0.prompt = [-1] } != nil)
        #expect(refusal { $0.prompt = [.max] } != nil)
        #expect(refusal { $0.maxNewTokens = 0 } != nil)
        #expect(refusal { $0.stopStrings = [""] } != nil)
        #expect(refusal { $0.stopStrings = Array(repeating: "x", count: 17) } != nil)
        #expect(
            refusal { $0.stopStrings = [String(repeating: "x", count: 257)] } != nil
        )

        try engine.submit(good)
        let answer = await log.answer()
        #expect(answer.events.allSatisfy { $0.id == 1 })
        #expect(answer.completion?.completionTokens == 2)
    }

    @Test("settings outside their ranges are refused by name")
    func configuration() throws {
        #expect(
            throws: EngineError.invalidConfiguration(setting: "slots", value: 0, allowed: 1...256)
        ) {
            try EngineConfiguration(slots: 0)
        }
        #expect(throws: EngineError.self) { try EngineConfiguration(queueLimit: -1) }
        #expect(throws: EngineError.self) { try EngineConfiguration(prefillChunk: 0) }
        #expect(throws: EngineError.self) { try EngineConfiguration(contextLimit: 1) }
        #expect(throws: EngineError.self) { try EngineConfiguration(keyValueMebibytes: 0) }
        // A supported machine has more than the minimum.
        #expect(EngineConfiguration.standard.keyValueMebibytes > 64)
        #expect(try EngineConfiguration() == .standard)
    }
}
