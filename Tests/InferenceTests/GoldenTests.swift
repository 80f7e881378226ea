// Greedy answers of tiny models against mlx-lm's, through the whole engine. These models have no
// tokenizer; the demo model's serves, which knows all of their 320 ids.

import Checkpoints
import FoundationEssentials
import Inference
import PhiModel
import TestSupport
import Testing
import Tokenizers

@Suite("Golden answers")
struct GoldenTests {
    private static let folders = [
        "tiny-phi3-4bit", "tiny-phi3-4bit-f16", "tiny-phi3-8bit-g32", "tiny-phi4-bf16",
        "tiny-phi4mini-4bit",
    ]

    private struct Golden {
        var usesLongFactors: Bool
        var prompt: [TokenID]
        var answer: [TokenID]
    }

    private func goldens(_ folder: String) throws -> [Golden] {
        let file = try Data(contentsOf: URL(filePath: "\(folder)/golden_logits.json"))
        func tokens(_ value: JSONValue?) -> [TokenID] {
            (value?.array ?? []).compactMap { $0.integer.flatMap(TokenID.init(exactly:)) }
        }
        return try (JSONValue(parsing: Array(file)).array ?? []).map { entry in
            Golden(
                usesLongFactors: entry["rope"]?.string?.hasPrefix("long") == true,
                prompt: tokens(entry["input_ids"]),
                answer: tokens(entry["greedy_24"])
            )
        }
    }

    @Test(
        "the engine gives mlx-lm's greedy tokens",
        .enabled(if: SharedFiles.has("models/mlx"), "skipped: the shared model files are not here"),
        arguments: folders
    )
    func greedy(folder name: String) async throws {
        let folder = try #require(SharedFiles.path("models/mlx/\(name)"))
        let demo = try DemoModel.load()
        let model = LoadedModel(
            model: try PhiModel(folder: folder),
            tokenizer: demo.tokenizer,
            template: demo.template,
            name: name
        )
        let stopTokens = model.model.configuration.stopTokens
        let goldens = try goldens(folder)
        try #require(!goldens.isEmpty)

        for golden in goldens {
            let answer = try await answer(to: golden, of: model)
            // The goldens go on after a stop token.
            let expected = Array(golden.answer.prefix { !stopTokens.contains($0) })
            let text = demo.tokenizer.decode(expected, keepSpecial: false)
            if golden.usesLongFactors {
                // Cut off by a cancel, which leaves the last characters to chance.
                let safe = demo.tokenizer.decode(expected.dropLast(4), keepSpecial: false)
                #expect(answer.text.utf8.starts(with: safe.utf8.dropLast(3)))
            } else {
                #expect(Array(answer.text.utf8) == Array(text.utf8))
                #expect(answer.finish == (expected.count < 24 ? .stop : .length))
            }
        }
    }

    /// Long factors are chosen by what prompt and answer may grow to, so those answers are allowed
    /// to grow long and cancelled.
    private func answer(to golden: Golden, of model: LoadedModel) async throws -> Answer {
        let log = EventLog()
        let reference = EngineReference()
        let engine = try Engine(model: model) { batch in
            for case .text(let id, _, 24...) in batch { reference.use { $0.cancel(id) } }
            log.sink(batch)
        }
        reference.set(engine)
        try engine.submit(
            GenerationRequest(
                id: 1,
                prompt: golden.prompt,
                maxNewTokens: golden.usesLongFactors ? 8000 : golden.answer.count
            )
        )
        return await log.answer()
    }
}
