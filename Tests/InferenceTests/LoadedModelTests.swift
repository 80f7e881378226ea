import Checkpoints
import FoundationEssentials
import Glibc
import Inference
import PhiModel
import Synchronization
import TestSupport
import Testing
import Tokenizers

@Suite("Loaded model")
struct LoadedModelTests {
    @Test("the demo model loads and reports progress")
    func demo() throws {
        var shares: [Double] = []
        let model = try LoadedModel.load(folder: DemoModel.folder) { shares.append($0) }
        #expect(model.name == "demo-model")
        #expect(shares.count > 3)
        #expect(shares == shares.sorted())
        #expect(shares.first == 0)
        #expect(shares.last == 1)
    }

    @Test("a GGUF file loads with its tokenizer and template, whole or from its folder")
    func gguf() throws {
        let golden = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden"
        for name in ["gguf-q4_k_m", "gguf-q4_0"] {
            var shares: [Double] = []
            let path = "\(golden)/\(name)/model.gguf"
            let model = try LoadedModel.load(folder: path) { shares.append($0) }
            #expect(model.name == "model")
            #expect(shares == shares.sorted())
            #expect(shares.last == 1)
            let chat = [ChatMessage(role: "user", content: "the heat")]
            let prompt = model.template.encode(chat, addGenerationPrompt: true).tokens
            #expect(model.tokenizer.decode(prompt, keepSpecial: true).contains("<|assistant|>"))
            let ends = ["<|end|>", "<|endoftext|>"].compactMap(model.tokenizer.token)
            #expect(model.model.configuration.stopTokens == Set(ends))
            #expect(ends.count == 2)
            let other = try LoadedModel.load(folder: "\(golden)/\(name)")
            #expect(other.identity.hash == model.identity.hash)
            #expect(other.name == name)
        }
    }

    @Test(
        "a model is named by its folder, or by its repository in the hub's cache",
        arguments: [
            ("/models/phi-4-mini", "phi-4-mini"),
            ("/models/phi-4-mini/", "phi-4-mini"),
            ("phi", "phi"),
            ("/", "model"),
            ("/models/Phi-3-mini-q4.gguf", "Phi-3-mini-q4"),
            ("/hub/models--org--some--name/snapshots/0123abc", "org/some--name"),
            ("/hub/models--lonely/snapshots/0123abc", "lonely"),
        ]
    )
    func names(folder: String, name: String) {
        #expect(LoadedModel.name(of: folder) == name)
    }

    @Test("a missing folder and a missing file are reported as missing")
    func missing() throws {
        let folder = try TemporaryFolder()
        expectMissing("\(folder.path)/nowhere")
        expectMissing(folder.path)
        for file in ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
        {
            expectMissing(try DemoModel.links(without: file).path)
        }
    }

    @Test("a damaged file is reported with its name")
    func damaged() throws {
        for file in ["config.json", "tokenizer.json", "tokenizer_config.json"] {
            let folder = try DemoModel.links(without: file)
            try folder.write(file, Array("{\"model_type\": ".utf8))
            expectDamaged(folder.path, file)
        }
        let folder = try DemoModel.links(without: "model.safetensors")
        let whole = try Data(contentsOf: URL(filePath: "\(DemoModel.folder)/model.safetensors"))
        try folder.write("model.safetensors", Array(whole.prefix(whole.count / 2)))
        expectDamaged(folder.path, "model.safetensors")
        try folder.write("model.safetensors", Array(whole.prefix(4)))
        expectDamaged(folder.path, "model.safetensors")
        try folder.write("model.safetensors", [])
        expectDamaged(folder.path, "model.safetensors")
    }

    @Test(
        "weights and tokenizer of different models are refused",
        .enabled(if: SharedFiles.has("models/mlx"), "skipped: the shared model files are not here")
    )
    func mixed() throws {
        let tiny = try #require(SharedFiles.path("models/mlx/tiny-phi3-4bit"))
        let folder = try DemoModel.links(without: "config.json")
        for file in ["config.json", "model.safetensors"] {
            let path = "\(folder.path)/\(file)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: path,
                withDestinationPath: "\(tiny)/\(file)"
            )
        }
        expectDamaged(folder.path, "not of the same model")
    }

    @Test("unsupported kernels are refused with a list of supported ones")
    func unknownKernels() async {
        // In a separate process, since the environment is shared.
        await #expect(processExitsWith: .success) {
            setenv("STOA_KERNELS", "avx3", 1)
            let error = #expect(throws: EngineError.self) {
                try LoadedModel.check(folder: DemoModel.folder)
            }
            guard case .unknownKernels(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("avx3"))
            #expect(reason.contains("scalar-int8-kv8"))
        }
    }

    @Test("one answer without an engine's thread, piece by piece")
    func generate() throws {
        let model = try DemoModel.load()
        var pieces: [String] = []
        let completion = try model.generate(
            messages: [ChatMessage(role: "user", content: "What is the capital of Finland?")],
            maxNewTokens: 40
        ) { pieces.append($0) }
        #expect(pieces.count > 1)
        #expect(pieces.joined().contains("Helsinki"))
        #expect(completion.finish == .stop)
        #expect(throws: EngineError.self) {
            try model.generate(messages: [], maxNewTokens: 40) { _ in }
        }
        #expect(throws: EngineError.self) {
            let long = String(repeating: "long ", count: 3000)
            _ = try model.generate(
                messages: [ChatMessage(role: "user", content: long)],
                maxNewTokens: 40
            ) { _ in }
        }
    }

    // MARK: - Folders

    private func expectMissing(
        _ folder: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: EngineError.self, sourceLocation: sourceLocation) {
            try LoadedModel.load(folder: folder)
        }
        guard case .modelMissing(folder, _) = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }

    private func expectDamaged(
        _ folder: String,
        _ file: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: EngineError.self, sourceLocation: sourceLocation) {
            try LoadedModel.load(folder: folder)
        }
        guard case .modelDamaged(folder, let reason) = error, reason.contains(file) else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }
}
