// The tiny models of the shared folder, with mlx-lm's greedy answers. They have no tokenizer; the
// demo model's is used, which has all of their 320 ids.

import Checkpoints
import FoundationEssentials
import Inference
import JSONText
import PhiModel
import TestSupport
import Testing

enum TinyModel {
    static let names = [
        "tiny-phi3-4bit", "tiny-phi3-4bit-f16", "tiny-phi3-8bit-g32", "tiny-phi4-bf16",
        "tiny-phi4mini-4bit",
    ]
    static let areHere = SharedFiles.has("models/mlx")
    static let whereAbsent: Comment = "skipped: the shared model files are not here"

    /// A prompt and its greedy answer.
    struct Golden {
        var usesLongFactors: Bool
        var prompt: [TokenID]
        /// 24 tokens, even if one of them ends a turn.
        var answer: [TokenID]

        /// The answer of an engine: up to the token that ends the turn.
        func answer(of model: LoadedModel) -> [TokenID] {
            let stopTokens = model.model.configuration.stopTokens
            let end = answer.firstIndex(where: stopTokens.contains) ?? answer.count - 1
            return Array(answer[...end])
        }
    }

    static func folder(_ name: String) throws -> String {
        try #require(SharedFiles.path("models/mlx/\(name)"))
    }

    static func load(folder: String) throws -> LoadedModel {
        let demo = try DemoModel.load()
        return LoadedModel(
            model: try PhiModel(folder: folder, kernels: .exact),
            tokenizer: demo.tokenizer,
            template: demo.template,
            identity: ModelIdentity(name: "tiny")
        )
    }

    static func goldens(_ name: String) throws -> [Golden] {
        let file = try MappedFile(path: "\(folder(name))/golden_logits.json").parseJSON()
        func tokens(_ value: JSONValue?) -> [TokenID] {
            (value?.array ?? []).compactMap { $0.integer.flatMap(TokenID.init(exactly:)) }
        }
        return try #require(file.array).map { entry in
            Golden(
                usesLongFactors: entry["rope"]?.string?.hasPrefix("long") == true,
                prompt: tokens(entry["input_ids"]),
                answer: tokens(entry["greedy_24"])
            )
        }
    }
}
