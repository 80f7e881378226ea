// Receipts of runs, and replaying them.

import Checkpoints
import FoundationEssentials
import Inference
import PhiModel
import Synchronization
import TestSupport
import Testing
import Tokenizers

@Suite("Receipts")
struct ReceiptTests {
    private let model: LoadedModel

    init() throws {
        model = try DemoModel.load()
    }

    private func run(_ request: GenerationRequest) throws -> RunReceipt {
        try #require(try model.generate(request) { _ in }.receipt)
    }

    // MARK: - Content

    @Test("a receipt has the request, the prompt, the answer and the times")
    func contents() throws {
        let request = model.request(
            1,
            "What is the capital of Finland?",
            maxNewTokens: 40,
            stopStrings: ["never said"]
        )
        var text = ""
        let completion = try model.generate(request) { text += $0 }
        let receipt = try #require(completion.receipt)
        #expect(receipt.version == RunReceipt.currentVersion)
        #expect(receipt.model.name == "demo-model")
        #expect(receipt.model.hash?.utf8.count == 64)
        #expect(receipt.model.templateHash?.utf8.count == 64)
        #expect(receipt.engine.kernels == model.model.kernelName)
        #expect(receipt.rope == .init(rule: .perRun, factors: .plain))
        #expect(receipt.sampling == .greedy)
        #expect(receipt.prompt.tokens == request.prompt.count)
        #expect(receipt.prompt.computed == request.prompt.count)
        #expect(receipt.prompt.cached == 0)
        #expect(receipt.prompt.ids == nil, "a server keeps the messages already")
        #expect(receipt.answer.ids.count == completion.completionTokens)
        #expect(model.tokenizer.decode(receipt.answer.ids, keepSpecial: false) == text)
        #expect(receipt.answer.finish == .stop)
        #expect(receipt.answer.tokensMax == 40)
        #expect(receipt.answer.stopStrings == ["never said"])
        #expect(receipt.times.waiting >= 0)
        #expect(try #require(receipt.times.prompt) > 0)
        #expect(try #require(receipt.times.generation) > 0)
        #expect(try #require(receipt.times.tokensPerSecond) > 0)
    }

    @Test("a prompt's hash is that of its ids as little-endian 32-bit numbers")
    func promptHash() {
        // printf '\001\000\000\000\002\001\000\000' | sha256sum
        #expect(
            RunReceipt.Prompt.hash(of: [1, 258])
                == "fb8bbe2ad3ab5292f19bc5d75bbab9b5fbddc5a78ce47ab41b2d3d59bca08596"
        )
    }

    @Test("a receipt is preserved as JSON, and another version is refused")
    func json() throws {
        let wild = try SamplingParameters(temperature: 0.7, topP: 0.9, topK: 5, seed: .max)
        var receipt = try run(model.request(1, "Hello", sampling: wild, maxNewTokens: 5))
        receipt.prompt.ids = [1, 2, 3]
        let data = try JSONEncoder().encode(receipt)
        #expect(try JSONDecoder().decode(RunReceipt.self, from: data) == receipt)
        let text = String(decoding: data, as: UTF8.self)
        for damage in [("0.7", "7"), ("\"length\"", "\"maybe\""), ("\"none\"", "\"some\"")] {
            let damaged = text.replacing(damage.0, with: damage.1)
            #expect(damaged != text)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(RunReceipt.self, from: Data(damaged.utf8))
            }
        }
    }

    @Test("a missing seed is chosen, recorded, and small enough for every JSON parser")
    func seeds() throws {
        let warm = try SamplingParameters(temperature: 1)
        let drawn = try (0..<4).map { _ in
            try #require(
                try run(model.request(1, "Hello", sampling: warm, maxNewTokens: 2)).sampling.seed
            )
        }
        #expect(Set(drawn).count > 1)
        #expect(drawn.allSatisfy { $0 < 1 << 53 })
        let given = try SamplingParameters(temperature: 1, seed: 7)
        #expect(try run(model.request(1, "Hello", sampling: given)).sampling.seed == 7)
        #expect(try run(model.request(1, "Hello")).sampling.seed == nil)
    }

    @Test("an engine's answers have receipts, also cancelled ones")
    func engine() async throws {
        let log = EventLog()
        let reference = EngineReference()
        let told = Atomic(0)
        let engine = try Engine(model: model) { batch in
            for case .text(let id, _, _, _) in batch {
                let count = told.add(1, ordering: .relaxed).newValue
                if count == 3 { reference.use { $0.cancel(id) } }
            }
            log.sink(batch)
        }
        reference.set(engine)
        try engine.submit(model.request(1, "Tell me a long story.", maxNewTokens: 500))
        let completion = try #require(await log.answer().completion)
        let receipt = try #require(completion.receipt)
        #expect(receipt.answer.finish == .stopped)
        #expect(receipt.answer.ids.count == completion.completionTokens)
        #expect(
            try model.replay(receipt, prompt: model.request(1, "Tell me a long story.").prompt)
                == .same(tokenCount: receipt.answer.ids.count)
        )
    }

    // MARK: - The model's hash

    @Test("a model's hash changes with its configuration and with its weights")
    func modelHash() throws {
        func hash(_ change: (inout [UInt8]) -> Void, in file: String) throws -> String? {
            let folder = try DemoModel.links(without: file)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(DemoModel.folder)/\(file)")))
            change(&bytes)
            try folder.write(file, bytes)
            return try LoadedModel.load(folder: folder.path).identity.hash
        }
        #expect(try hash({ _ in }, in: "config.json") == model.identity.hash)
        #expect(try hash({ $0.append(0x0A) }, in: "config.json") != model.identity.hash)
        #expect(
            try hash({ $0[$0.count - 1] ^= 1 }, in: "model.safetensors") != model.identity.hash
        )
    }

    // MARK: - Replay

    @Test("a run is repeated token by token, greedy or sampled, for every finish reason")
    func replay() throws {
        let warm = try SamplingParameters(temperature: 1, topP: 0.9)
        let requests = [
            model.request(1, "What is the capital of Finland?"),
            model.request(1, "Tell me a long story.", maxNewTokens: 9),
            model.request(1, "Tell me a long story.", sampling: warm, maxNewTokens: 30),
            model.request(1, "What is the capital of Finland?", stopStrings: ["Hels"]),
        ]
        for request in requests {
            let receipt = try run(request)
            #expect(
                try model.replay(receipt, prompt: request.prompt)
                    == .same(tokenCount: receipt.answer.ids.count)
            )
            #expect(receipt.differences(from: model).isEmpty)
        }
    }

    @Test("the first token that differs is named")
    func firstDifference() throws {
        let request = model.request(1, "What is the capital of Finland?")
        var receipt = try run(request)
        let ids = receipt.answer.ids
        receipt.answer.ids[2] = 7
        #expect(
            try model.replay(receipt, prompt: request.prompt)
                == .differs(position: 2, recorded: 7, replayed: ids[2])
        )
        receipt.answer.ids = ids + [7]
        #expect(
            try model.replay(receipt, prompt: request.prompt)
                == .differs(position: ids.count, recorded: 7, replayed: nil)
        )
        receipt.answer.ids = ids.dropLast()
        #expect(
            try model.replay(receipt, prompt: request.prompt)
                == .differs(position: ids.count - 1, recorded: nil, replayed: ids.last)
        )
        #expect(throws: EngineError.self) { try model.replay(receipt, prompt: [1]) }
    }

    @Test("differences are reported, one sentence each")
    func differences() throws {
        let receipt = try run(model.request(1, "Hello", maxNewTokens: 1))
        func sentences(_ change: (inout RunReceipt) -> Void) -> [String] {
            var other = receipt
            change(&other)
            return other.differences(from: model)
        }
        #expect(sentences { $0.model.hash = "0123" }.first?.contains("model") == true)
        #expect(sentences { $0.model.templateHash = nil }.first?.contains("template") == true)
        #expect(sentences { $0.engine.kernels = "abacus" }.first?.contains("abacus") == true)
        #expect(sentences { $0.engine.stoa = "0.0.1" }.first?.contains("0.0.1") == true)
        #expect(sentences { $0.version += 1 }.first?.contains("version") == true)
        #expect(sentences { $0.prompt.tokens += 1 }.isEmpty)
    }
}
