// Greedy answers of tiny models against mlx-lm's, through the whole engine.

import Inference
import PhiModel
import Testing

@Suite("Golden answers", .enabled(if: TinyModel.areHere, TinyModel.whereAbsent))
struct GoldenTests {
    @Test("the engine gives mlx-lm's greedy tokens", arguments: TinyModel.names)
    func greedy(name: String) async throws {
        let model = try TinyModel.load(folder: TinyModel.folder(name))
        let goldens = try TinyModel.goldens(name)
        try #require(!goldens.isEmpty)
        for golden in goldens {
            let log = EventLog()
            let engine = try Engine(
                model: model,
                configuration: EngineConfiguration(
                    ropeRule: golden.usesLongFactors ? .alwaysLong : .perRun
                ),
                sink: log.sink
            )
            try engine.submit(
                GenerationRequest(id: 1, prompt: golden.prompt, maxNewTokens: golden.answer.count)
            )
            let receipt = try #require(await log.answer().completion?.receipt)
            let expected = golden.answer(of: model)
            #expect(receipt.answer.ids == expected)
            #expect(receipt.answer.finish == (expected.count < 24 ? .stop : .length))
        }
    }
}
