// `stoa model info` for complete and incomplete folders.

import Checkpoints
import FoundationEssentials
import JSONText
import TestSupport
import Testing
import stoa

@Suite("A model folder's description")
struct ModelInfoTests {
    private func info(_ folder: String) throws -> JSONValue {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return try JSONValue(parsing: Array(try encoder.encode(ModelInfo(folder: folder))))
    }

    @Test("the demo model's description has every part")
    func demo() throws {
        let folder = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
        let info = try info(folder)
        #expect(info["architecture"]?.string == "phi3")
        #expect(info["template"]?.string == "\(folder)/tokenizer_config.json")
        #expect(info["tokenizer"]?["added_tokens"]?.integer == 5)
        #expect(info["thinks"]?.bool == false && info["writes_system_prompts"]?.bool == true)
        let texts = info["stop_tokens"]?.array?.compactMap { $0["text"]?.string }
        #expect(texts?.contains("<|end|>") == true)
        let weights = try #require(info["weights"])
        let tensors = weights["dtypes"]?.object?.reduce(0) { $0 + ($1.value.integer ?? 0) }
        #expect(tensors == weights["tensors"]?.integer)
        #expect(weights["files"]?.integer == 1)
        #expect(try #require(weights["cache_bytes_per_thousand_tokens"]?.integer) > 0)
        for hash in ["model", "template", "tokenizer"] {
            #expect(info["hashes"]?[hash]?.string?.utf8.count == 64)
        }
    }

    @Test("a GGUF file's description has every part, and the memory of repacked weights")
    func gguf() throws {
        let folder = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden/gguf-q4_k_m"
        let file = "\(folder)/model.gguf"
        let info = try info(file)
        #expect(info["name"]?.string == "model")
        #expect(info["template"]?.string == "the built-in template")
        #expect(info["tokenizer"]?["added_tokens"]?.integer == 5)
        let types = info["weights"]?["dtypes"]
        #expect(types?["Q4_K"]?.integer == 2)
        #expect(types?["Q5_K"]?.integer == 1)
        #expect(types?["Q6_K"]?.integer == 2)
        #expect(try #require(info["weights"]?["repacked_bytes"]?.integer) > 300_000)
        let lines = try ModelInfo(folder: file).lines
        #expect(lines.contains("quantization      Q4_K, Q5_K, Q6_K"))
        #expect(lines.contains { $0.hasPrefix("memory ") && $0.hasSuffix(" MiB for weights") })
    }

    @Test(
        "the official models have their published numbers of weights",
        .enabled(if: SharedFiles.has("models"), "skipped: the shared model files are not here"),
        arguments: [
            ("Phi-3-mini-4k-instruct-4bit", 3_821_079_552, "plain", 4096),
            ("Phi-3.5-mini-instruct", 3_821_079_552, "longrope", 131_072),
            ("Phi-4-mini-instruct", 3_836_021_760, "longrope", 131_072),
            ("phi-4", 14_659_507_200, "plain", 16_384),
        ]
    )
    func official(name: String, parameters: Int, rope: String, context: Int) throws {
        let info = try info(try #require(SharedFiles.path("models/\(name)")))
        #expect(info["name"]?.string == name)
        #expect(info["parameters"]?.integer == parameters)
        #expect(info["rope"]?["type"]?.string == rope)
        #expect(info["context_length"]?.integer == context)
        #expect(info["weights"] == nil)
        #expect(info["hashes"]?["model"] == nil)
    }

    @Test("a folder without a model, or with a damaged file, is refused by name")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: CommandFailure.self) { try ModelInfo(folder: folder.path) }
        #expect(missing?.status == .noInput)
        #expect(missing?.message.contains("config.json") == true)
        let demo = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
        try folder.write(
            "config.json",
            Array(try Data(contentsOf: URL(filePath: "\(demo)/config.json")))
        )
        #expect(try info(folder.path)["weights"] == nil)
        try folder.write("tokenizer.json", Array("{".utf8))
        let damaged = #expect(throws: CommandFailure.self) { try ModelInfo(folder: folder.path) }
        #expect(damaged?.message.contains("tokenizer.json") == true)
    }
}
