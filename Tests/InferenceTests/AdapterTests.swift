// Adapters of the demo model through the whole engine.

import Checkpoints
import FoundationEssentials
import Inference
import PhiModel
import TestSupport
import Testing
import Tokenizers

@Suite("answers with adapters", .timeLimit(.minutes(2)))
struct AdapterTests {
    private let model: LoadedModel
    private let adapters: [LoadedAdapter?]
    private let events = EventLog()

    init() throws {
        let model = try DemoModel.load()
        self.model = model
        // Their files are gone before they are used.
        var adapters: [LoadedAdapter?] = [nil]
        for (seed, rank) in [(7, 3), (8, 4)] as [(UInt64, Int)] {
            let folder = try RandomAdapter.ofDemoModel(seed: seed, rank: rank)
            adapters.append(try LoadedAdapter.load(folder: folder.path, for: model))
        }
        self.adapters = adapters
    }

    private func request(
        _ id: UInt64,
        _ question: String,
        adapter: LoadedAdapter?,
        scope: String? = nil,
        sampling: SamplingParameters = .greedy
    ) -> GenerationRequest {
        var request = model.request(id, question, sampling: sampling, maxNewTokens: 24)
        request.cacheScope = scope
        request.adapter = adapter
        return request
    }

    private func tokens(_ answer: Answer) throws -> [TokenID] {
        try #require(answer.completion?.receipt).answer.ids
    }

    private func ask(_ engine: Engine, _ request: GenerationRequest) async throws -> Answer {
        try engine.submit(request)
        return await events.answer()
    }

    @Test(
        "requests with different adapters and none are the same alone and together",
        arguments: [true, false]
    )
    func together(speculates: Bool) async throws {
        let sampling = try SamplingParameters(temperature: 0.8, topP: 0.95, seed: 5)
        let questions = ["What is the capital of Finland?", "Say one two one two one two one two."]
        let requests = (0..<9).map { (index: Int) -> GenerationRequest in
            request(
                UInt64(index),
                questions[index / 3 % 2],
                adapter: adapters[index % 3],
                scope: index < 3 ? "room" : nil,
                sampling: index < 6 ? .greedy : sampling
            )
        }
        let engine = try Engine(
            model: model,
            configuration: EngineConfiguration(slots: 9, speculates: speculates),
            sink: events.sink
        )
        var alone: [UInt64: [TokenID]] = [:]
        for request in requests {
            let answer = try await ask(engine, request)
            alone[request.id] = try tokens(answer)
            #expect(answer.completion?.receipt?.adapter == request.adapter?.identity)
        }
        for request in requests { try engine.submit(request) }
        let together = try await events.answers(9).mapValues { try tokens($0) }
        engine.shutdown()
        #expect(together == alone)
        #expect(Set((0..<3).map { alone[$0] }).count == 3)
    }

    @Test("cached prefixes of one adapter are never used with another one, nor without")
    func prefixes() async throws {
        let question = String(repeating: "What is the capital of Finland? ", count: 12)
        let engine = try Engine(model: model, sink: events.sink)
        for (index, adapter) in adapters.enumerated() {
            let expected = try tokens(
                try await ask(engine, request(1, question, adapter: adapter))
            )
            // Another adapter has left pages of the same tokens in this scope.
            var own = request(2, question, adapter: adapter, scope: "room")
            own.publishedCount = 64
            let first = try await ask(engine, own)
            #expect(first.completion?.cachedTokens == 0, "adapter \(index)")
            let second = try await ask(engine, own)
            #expect(second.completion?.cachedTokens == own.prompt.count - 1)
            // The published part, which other scopes may use with the same adapter.
            own.cacheScope = "house"
            let third = try await ask(engine, own)
            #expect(third.completion?.cachedTokens == 64)
            for answer in [first, second, third] { #expect(try tokens(answer) == expected) }
        }
        engine.forget(["room", "house"])
        let again = try await ask(engine, request(3, question, adapter: adapters[1], scope: "room"))
        #expect(again.completion?.cachedTokens == 0)
        engine.shutdown()
    }

    @Test("pages on disk are used with the adapter that they were computed with, and no other")
    func disk() async throws {
        let folder = try TemporaryFolder()
        let question = String(repeating: "What is the capital of Finland? ", count: 12)
        func live(_ adapter: LoadedAdapter?) async throws -> Answer {
            let store = try PageStore(folder: "\(folder.path)/kv", byteLimit: 1 << 30) { _ in }
            let engine = try Engine(model: model, pages: store, sink: events.sink)
            let answer = try await ask(engine, request(1, question, adapter: adapter, scope: "a"))
            engine.shutdown()
            store.close()
            return answer
        }
        for adapter in adapters {
            let first = try await live(adapter)
            #expect(first.completion?.cachedTokens == 0)
            let second = try await live(adapter)
            #expect(second.completion?.cachedTokens == first.completion.map { $0.promptTokens - 1 })
            #expect(try tokens(second) == tokens(first))
        }
    }

    @Test("an adapter that was read twice has the same identity, another one has another")
    func identities() throws {
        let folder = try RandomAdapter.ofDemoModel(seed: 7, rank: 3)
        let again = try LoadedAdapter.load(folder: folder.path, for: model)
        #expect(again.identity.hash == adapters[1]?.identity.hash)
        #expect(again.identity.hash != adapters[2]?.identity.hash)
        let config = try MappedFile(path: "\(folder.path)/adapter_config.json")
        let text = String(decoding: config.contents, as: UTF8.self)
        try folder.write(
            "adapter_config.json",
            Array(text.replacing("\"scale\": 2.0", with: "\"scale\": 2.5").utf8)
        )
        let louder = try LoadedAdapter.load(folder: folder.path, for: model)
        #expect(louder.identity.hash != again.identity.hash)
    }

    @Test("a receipt names the adapter, and the run can be repeated with it")
    func receipts() throws {
        let request = request(1, "What is the capital of Finland?", adapter: adapters[1])
        let completion = try model.generate(request) { _ in }
        let receipt = try #require(completion.receipt)
        let count = receipt.answer.ids.count
        #expect(receipt.adapter == adapters[1]?.identity)
        #expect(receipt.differences(from: model, adapter: adapters[1]).isEmpty)
        #expect(receipt.differences(from: model).contains { $0.contains("adapter") })
        let replay = try model.replay(receipt, prompt: request.prompt, adapter: adapters[1])
        #expect(replay == .same(tokenCount: count))
        #expect(try model.replay(receipt, prompt: request.prompt) != .same(tokenCount: count))
    }

    @Test("an adapter of another loaded model is refused, one of the same weights is not")
    func models() throws {
        let engine = try Engine(model: model.keeping(.eight), sink: events.sink)
        try engine.submit(request(1, "Who are you?", adapter: adapters[1]))
        engine.shutdown()
        let other = try Engine(model: try DemoModel.load(), sink: events.sink)
        #expect(throws: EngineError.invalidRequest("its adapter was loaded for another model")) {
            try other.submit(request(1, "Who are you?", adapter: adapters[1]))
        }
        other.shutdown()
    }

    @Test("a folder without an adapter of the model is refused with the reason")
    func refusals() throws {
        let folder = try RandomAdapter.ofDemoModel(seed: 9)
        try LoadedAdapter.check(folder: folder.path, modelFolder: DemoModel.folder)
        let tiny = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden/tiny-phi3-4bit"
        let error = #expect(throws: EngineError.self) {
            try LoadedAdapter.check(folder: folder.path, modelFolder: tiny)
        }
        #expect(error?.description.contains("from 256 to 128") == true)
        #expect(throws: EngineError.self) {
            try LoadedAdapter.load(folder: DemoModel.folder, for: model)
        }
    }
}
