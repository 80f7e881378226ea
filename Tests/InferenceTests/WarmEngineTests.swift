// Reuse of cached prefixes.

import Checkpoints
import Inference
import PhiModel
import Testing
import Tokenizers

@Suite("Cached prefixes")
struct WarmEngineTests {
    private let model: LoadedModel
    private let log = EventLog()

    init() throws {
        model = try DemoModel.load()
    }

    private func engine(
        _ configuration: EngineConfiguration = .standard,
        keeping bits: KeyValueBits = .sixteen
    ) throws -> Engine {
        try Engine(model: model.keeping(bits), configuration: configuration, sink: log.sink)
    }

    /// The request for a conversation's next turn.
    private func request(
        _ id: UInt64,
        _ turns: [String],
        scope: String?,
        maxNewTokens: Int = 24
    ) -> GenerationRequest {
        let messages = turns.enumerated().map { index, text in
            ChatMessage(role: index.isMultiple(of: 2) ? "user" : "assistant", content: text)
        }
        return GenerationRequest(
            id: id,
            prompt: model.template.encode(messages, addGenerationPrompt: true).tokens,
            maxNewTokens: maxNewTokens,
            cacheScope: scope
        )
    }

    /// The answer of a new engine.
    private func cold(
        _ request: GenerationRequest,
        keeping bits: KeyValueBits = .sixteen
    ) async throws -> Answer {
        var request = request
        request.cacheScope = nil
        let engine = try engine(keeping: bits)
        try engine.submit(request)
        return await log.answer()
    }

    /// The server's prompt, of at least two pages.
    private var publishedPrompt: [TokenID] {
        model.template.encode(
            [ChatMessage(role: "system", content: String(repeating: "Be kind. ", count: 30))],
            addGenerationPrompt: false
        ).tokens
    }

    private func cachedCount(_ answer: Answer) -> Int? {
        guard case .started(_, _, let cachedTokens)? = answer.events.first else { return nil }
        return cachedTokens
    }

    @Test(
        "each turn computes only new tokens, and the answers are the same",
        arguments: KeyValueBits.allCases
    )
    func turns(bits: KeyValueBits) async throws {
        let engine = try engine(keeping: bits)
        var turns: [String] = []
        var readBefore = 0
        for (index, question) in ["What is 3 + 4?", "Who are you?", "And what is 1 + 1?"]
            .enumerated()
        {
            turns.append(question)
            let request = request(UInt64(index), turns, scope: "conversation")
            try engine.submit(request)
            let answer = await log.answer()
            let receipt = try #require(answer.completion?.receipt)
            #expect(receipt.engine.kernels == model.keeping(bits).model.kernelName)
            #expect(cachedCount(answer) == answer.completion?.cachedTokens)
            #expect(receipt.prompt.cached == answer.completion?.cachedTokens)
            #expect(receipt.prompt.cached + receipt.prompt.computed == request.prompt.count)
            // All tokens of the previous turn; also its answer, if its text gives the same tokens.
            #expect(receipt.prompt.cached >= readBefore)
            #expect(receipt.prompt.cached < request.prompt.count)
            readBefore = request.prompt.count - 1

            let coldAnswer = try await cold(request, keeping: bits)
            #expect(coldAnswer.text == answer.text)
            #expect(coldAnswer.completion?.receipt?.answer == receipt.answer)
            turns.append(answer.text)
        }
    }

    @Test("of a cached prompt only the last token is computed")
    func again() async throws {
        let engine = try engine()
        let request = request(1, ["Tell me a long story."], scope: "conversation")
        for cached in [0, request.prompt.count - 1] {
            try engine.submit(request)
            let answer = await log.answer()
            #expect(cachedCount(answer) == cached)
            #expect(answer.progress.isEmpty)
        }
    }

    @Test("nothing is reused for another conversation or without a scope")
    func privacy() async throws {
        let engine = try engine()
        for scope in ["one", "two", nil, nil] {
            try engine.submit(request(1, ["What is the capital of Finland?"], scope: scope))
            #expect(cachedCount(await log.answer()) == 0)
        }
    }

    @Test("a published prompt is computed once for all conversations")
    func published() async throws {
        let engine = try engine()
        let published = publishedPrompt
        func ask(_ question: String, scope: String, isPublished: Bool) async throws -> Answer {
            var request = request(1, [question], scope: scope)
            request.prompt = published + request.prompt
            request.publishedCount = isPublished ? published.count : 0
            try engine.submit(request)
            let answer = await log.answer()
            #expect(try await cold(request).text == answer.text)
            return answer
        }
        let pages = published.count / 32
        try #require(pages >= 2)
        let first = try await ask("Who are you?", scope: "one", isPublished: true)
        #expect(cachedCount(first) == 0)
        let second = try await ask("Who are you?", scope: "two", isPublished: true)
        #expect(cachedCount(second) == 32 * pages)
        let own = try await ask("Who are you?", scope: "three", isPublished: false)
        #expect(cachedCount(own) == 0)
        let third = try await ask("What is 3 + 4?", scope: "two", isPublished: true)
        #expect(try #require(cachedCount(third)) > published.count)
    }

    @Test(
        "a published prompt is there for others as soon as it is read, before anything is answered"
    )
    func publishedSoon() async throws {
        let published = publishedPrompt
        let pages = published.count / 32
        try #require(pages >= 2)
        let requests = ["one", "two"].enumerated().map { index, scope in
            var request = request(UInt64(index), ["Tell me a long story."], scope: scope)
            request.prompt = published + request.prompt
            request.publishedCount = published.count
            return request
        }
        let log = log
        let reference = EngineReference()
        let engine = try Engine(model: model, configuration: .init(prefillChunk: 32)) { batch in
            for case .progress(0, let done, _) in batch where done == 32 * pages {
                reference.use { try? $0.submit(requests[1]) }
            }
            log.sink(batch)
        }
        reference.set(engine)
        try engine.submit(requests[0])
        let answers = await log.answers(2)
        #expect(answers[0].flatMap(cachedCount) == 0)
        #expect(answers[1].flatMap(cachedCount) == 32 * pages)
        let text = try await cold(requests[0]).text
        #expect(answers.values.allSatisfy { $0.text == text })

        // It stays when the conversations that computed it are removed, and nothing else does.
        engine.forget(["one", "two"])
        try engine.submit(requests[0])
        #expect(cachedCount(await log.answer()) == 32 * pages)
    }

    @Test("branches reuse their common prefix, concurrently and sequentially")
    func branches() async throws {
        let engine = try engine()
        let trunk = ["What is the capital of Finland?", "Helsinki."]
        try engine.submit(request(0, trunk + ["Who are you?"], scope: "c"))
        _ = await log.answer()
        let branches = ["What is 3 + 4?", "Write a haiku.", "Who are you? Tell me."].enumerated()
            .map { request(UInt64($0 + 1), trunk + [$1], scope: "c") }
        for branch in branches { try engine.submit(branch) }
        let answers = await log.answers(branches.count)
        for branch in branches {
            let answer = try #require(answers[branch.id])
            #expect(try #require(cachedCount(answer)) > 10)
            #expect(try await cold(branch).text == answer.text)
        }
    }

    @Test("the pages of a cancelled answer are reused")
    func stopped() async throws {
        let log = log
        let reference = EngineReference()
        let engine = try Engine(model: model, configuration: .init(prefillChunk: 4)) { batch in
            for case .progress(let id, let done, _) in batch where id == 1 && done == 8 {
                reference.use { $0.cancel(id) }
            }
            log.sink(batch)
        }
        reference.set(engine)
        let prompt = ["What is the capital of Finland?"]
        try engine.submit(request(1, prompt, scope: "c"))
        #expect(await log.answer().finish == .stopped)
        try engine.submit(request(2, prompt, scope: "c"))
        #expect(cachedCount(await log.answer()) == 8)
    }

    @Test("a small memory suffices for sequential requests, and evicts the oldest")
    func littleMemory() async throws {
        // Eight pages of 32 positions, for answers that need up to four of them.
        let engine = try engine(
            EngineConfiguration(slots: 8, contextLimit: 96, keyValueMebibytes: 1)
        )
        func requests() -> [GenerationRequest] {
            (0..<8).map { index in
                request(
                    UInt64(index),
                    ["Tell me a long story about the number \(index)."],
                    scope: "\(index)",
                    maxNewTokens: 200
                )
            }
        }
        for request in requests() { try engine.submit(request) }
        let first = await log.answers(8)
        #expect(first.values.allSatisfy { $0.completion != nil && cachedCount($0) == 0 })
        for request in requests().reversed() {
            try engine.submit(request)
            let answer = await log.answer()
            #expect(answer.text == first[request.id]?.text)
        }
        // The last one is still cached; those long before it are not.
        try engine.submit(requests()[0])
        #expect(try #require(cachedCount(await log.answer())) > 10)
        try engine.submit(requests()[7])
        #expect(cachedCount(await log.answer()) == 0)
    }
}
