// Other architectures through the whole engine: their tiny models, with the demo model's tokenizer.

import Checkpoints
import Inference
import PhiModel
import TestSupport
import Testing

@Suite("Answers of other architectures")
struct ArchitectureTests {
    /// Greedy answers to prompts that begin alike and repeat themselves, in turn or at once.
    private func answers(
        _ model: LoadedModel,
        speculates: Bool,
        atOnce: Bool,
        scope: String?
    ) async throws -> [UInt64: [TokenID]] {
        let log = EventLog()
        let start = ContinuousClock.now
        let engine = try Engine(
            model: model,
            configuration: EngineConfiguration(slots: 3, speculates: speculates),
            now: { start },
            sink: log.sink
        )
        let beginning = (0..<70).map { TokenID(3 + $0 * 37 % 11) }
        var answers: [UInt64: Answer] = [:]
        for id in UInt64(1)...4 {
            try engine.submit(
                GenerationRequest(
                    id: id,
                    prompt: beginning + [TokenID(20 + id % 3)],
                    sampling: .greedy,
                    maxNewTokens: 24,
                    cacheScope: scope
                )
            )
            if !atOnce { answers[id] = await log.answer() }
        }
        if atOnce { answers = await log.answers(4) }
        engine.shutdown()
        return try answers.mapValues { try #require($0.completion?.receipt).answer.ids }
    }

    @Test(
        "batches, cached prefixes and drafts change no token",
        arguments: ["phi-4bit", "phimoe-4bit", "phi3small-4bit", "phi4mm-4bit"],
        [KeyValueBits.sixteen, .eight]
    )
    func same(name: String, bits: KeyValueBits) async throws {
        let folder = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden/\(name)"
        let demo = try DemoModel.load()
        let model = LoadedModel(
            model: try PhiModel(folder: folder),
            tokenizer: demo.tokenizer,
            template: demo.template,
            identity: ModelIdentity(name: name)
        ).keeping(bits)
        let plain = try await answers(model, speculates: false, atOnce: false, scope: nil)
        #expect(plain.values.allSatisfy { !$0.isEmpty })
        for (speculates, atOnce) in [(true, false), (true, true), (false, true)] {
            let others = try await answers(
                model,
                speculates: speculates,
                atOnce: atOnce,
                scope: "room"
            )
            #expect(others == plain)
        }
    }
}
