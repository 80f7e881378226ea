// Switching LongRoPE's factor set: a conversation that exceeds the original context is computed
// again with the other factor set, which looks like any other prompt.

import Checkpoints
import FoundationEssentials
import Inference
import PhiModel
import TestSupport
import Testing

@Suite("LongRoPE factor set switch", .enabled(if: TinyModel.areHere, TinyModel.whereAbsent))
struct RopeSwitchTests {
    private static let name = "tiny-phi4mini-4bit"
    /// The original context length in these tests: the golden sequences of 7 and 24 tokens fit.
    private static let seam = 31

    private let model: LoadedModel
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let source = try TinyModel.folder(Self.name)
        let config = try String(contentsOfFile: "\(source)/config.json", encoding: .utf8)
        // The magnitude depends on the original context: it is set as for the golden values.
        let changed =
            config
            .replacing(
                #""original_max_position_embeddings": 4096"#,
                with: #""original_max_position_embeddings": \#(Self.seam)"#
            )
            .replacing(
                #""type": "longrope""#,
                with: #""type": "longrope", "attention_factor": 1.1902380714238083"#
            )
        try folder.write("config.json", Array(changed.utf8))
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/model.safetensors",
            withDestinationPath: "\(source)/model.safetensors"
        )
        model = try TinyModel.load(folder: folder.path)
        try #require(model.model.configuration.originalContextLength == Self.seam)
    }

    /// The greedy answer of the model alone, with a given factor set.
    private func oracle(_ prompt: [TokenID], count: Int, _ factors: RopeFactors) throws -> [TokenID]
    {
        let session = model.model.makeSession(threadCount: 1)
        let cache = try model.model.makeCache(
            capacity: prompt.count + count,
            ropeFactors: factors
        )
        var tokens: [TokenID] = []
        var input = prompt
        while tokens.count < count {
            let step = SequenceStep(tokens: input, cache: cache, wantsLogits: true)
            let logits = try #require(try session.forward([step]).first?.flatMap(\.self))
            let best = try #require(logits.indices.max { logits[$0] < logits[$1] })
            tokens.append(TokenID(best))
            if model.model.configuration.stopTokens.contains(TokenID(best)) { break }
            input = [TokenID(best)]
        }
        return tokens
    }

    @Test("the factor set is chosen for prompt and new tokens together")
    func choice() throws {
        func factors(promptCount: Int, maxNewTokens: Int) throws -> RopeFactors? {
            let request = GenerationRequest(
                id: 1,
                prompt: Array(repeating: 5, count: promptCount),
                maxNewTokens: maxNewTokens
            )
            return try model.generate(request) { _ in }.receipt?.rope.factors
        }
        #expect(try factors(promptCount: 7, maxNewTokens: Self.seam - 7) == .short)
        #expect(try factors(promptCount: 7, maxNewTokens: Self.seam - 6) == .long)
        #expect(try factors(promptCount: Self.seam, maxNewTokens: 1) == .long)
    }

    @Test("answers with both factor sets are mlx-lm's")
    func goldens() throws {
        for golden in try TinyModel.goldens(Self.name) {
            let isLong = golden.prompt.count + golden.answer.count > Self.seam
            guard golden.usesLongFactors == isLong else { continue }
            let request = GenerationRequest(
                id: 1,
                prompt: golden.prompt,
                maxNewTokens: golden.answer.count
            )
            let receipt = try #require(try model.generate(request) { _ in }.receipt)
            #expect(receipt.rope.factors == (isLong ? .long : .short))
            #expect(receipt.answer.ids == golden.answer(of: model))
        }
    }

    @Test(
        "a conversation that exceeds the original context is computed again like any other prompt"
    )
    func growth() async throws {
        let log = EventLog()
        let engine = try Engine(
            model: model,
            configuration: EngineConfiguration(prefillChunk: 8),
            sink: log.sink
        )
        func ask(_ id: UInt64, _ prompt: [TokenID]) throws {
            try engine.submit(
                GenerationRequest(id: id, prompt: prompt, maxNewTokens: 16, cacheScope: "c")
            )
        }
        let first = try #require(TinyModel.goldens(Self.name).first { $0.prompt.count == 7 }).prompt
        try ask(1, first)
        let firstReceipt = try #require(await log.answer().completion?.receipt)
        #expect(firstReceipt.rope == .init(rule: .perRun, factors: .short))

        let second = first + firstReceipt.answer.ids + first
        try ask(2, second)
        let answer = await log.answer()
        #expect(
            answer.events.first
                == .started(id: 2, promptTokens: second.count, cachedTokens: 0)
        )
        #expect(answer.progress == Array(stride(from: 8, to: second.count, by: 8)))
        let receipt = try #require(answer.completion?.receipt)
        #expect(receipt.rope.factors == .long)
        #expect(receipt.prompt.computed == second.count)
        #expect(receipt.answer.ids == (try oracle(second, count: 16, .long)))
        #expect(receipt.answer.ids != (try oracle(second, count: 16, .short)))

        // Each factor set has only its own pages.
        for (id, prompt, before) in [(UInt64(3), second, receipt), (4, first, firstReceipt)] {
            try ask(id, prompt)
            let again = try #require(await log.answer().completion?.receipt)
            #expect(again.prompt.cached == prompt.count - 1)
            #expect(again.rope == before.rope)
            #expect(again.answer == before.answer)
        }
    }

    @Test("a rule of the engine or of a run overrides the lengths")
    func rules() throws {
        func rope(_ engine: RopeRule, _ request: RopeRule?) throws -> RunReceipt.Rope? {
            let configuration = try EngineConfiguration(ropeRule: engine)
            let request = GenerationRequest(
                id: 1,
                prompt: [5],
                maxNewTokens: 1,
                ropeRule: request
            )
            return try model.generate(request, configuration: configuration) { _ in }.receipt?.rope
        }
        #expect(try rope(.perRun, nil) == .init(rule: .perRun, factors: .short))
        #expect(try rope(.alwaysLong, nil) == .init(rule: .alwaysLong, factors: .long))
        #expect(try rope(.alwaysLong, .perRun) == .init(rule: .perRun, factors: .short))
    }

    @Test("a replay uses the factor set of the receipt")
    func replay() throws {
        let prompt = try #require(TinyModel.goldens(Self.name).first { $0.prompt.count == 7 })
            .prompt
        for rule in RopeRule.allCases {
            let request = GenerationRequest(
                id: 1,
                prompt: prompt,
                maxNewTokens: 20,
                ropeRule: rule
            )
            var receipt = try #require(try model.generate(request) { _ in }.receipt)
            let count = receipt.answer.ids.count
            #expect(try model.replay(receipt, prompt: prompt) == .same(tokenCount: count))
            // As if it had been cancelled: fewer tokens may be generated, the set stays.
            receipt.answer.finish = .stopped
            receipt.answer.ids.removeLast()
            #expect(try model.replay(receipt, prompt: prompt) == .same(tokenCount: count - 1))
        }
    }
}
