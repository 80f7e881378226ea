import Foundation
import ModelHub
import PhiEngine
import Synchronization
import TestSupport
import Testing

@Suite("Loading a model", .timeLimit(.minutes(1)))
struct LoadingTests {
    @Test("a model of the registry is found in the cache in offline mode")
    func cached() async throws {
        let hub = try DemoHub()
        let container = try await LLMModelFactory.shared.loadContainer(
            hub: hub.offline,
            configuration: ModelRegistry.phi3_5_4bit
        )
        #expect(container.configuration.name == "mlx-community/Phi-3.5-mini-instruct-4bit")
        #expect(container.configuration.extraEOSTokens == ["<|end|>"])
    }

    @Test("progress never decreases and ends at 1")
    func progress() async throws {
        let hub = try DemoHub()
        let shares = Mutex<[Double]>([])
        _ = try await LLMModelFactory.shared.load(
            hub: hub.offline,
            configuration: ModelRegistry.phi3_5_4bit
        ) { progress in
            shares.withLock { $0.append(progress.fractionCompleted) }
        }
        let told = shares.withLock { $0 }
        #expect(told.count > 2)
        #expect(told == told.sorted())
        #expect(told.first == 0)
        #expect(told.last == 1)
    }

    @Test("a commit selects a snapshot like a branch")
    func commit() async throws {
        let hub = try DemoHub("org/model")
        for revision in ["main", DemoHub.commit] {
            let container = try await LLMModelFactory.shared.loadContainer(
                hub: hub.offline,
                configuration: ModelConfiguration(id: "org/model", revision: revision)
            )
            #expect(container.configuration.name == "org/model")
        }
    }

    @Test("the error for a model that is not in the cache names it and says what to do")
    func unknown() async throws {
        let hub = try DemoHub()
        for name in ["nobody/nothing", "no name at all"] {
            let error = await #expect(throws: PhiEngineError.self) {
                try await LLMModelFactory.shared.loadContainer(
                    hub: hub.offline,
                    configuration: ModelConfiguration(id: name)
                )
            }
            guard case .modelNotAvailable(name, let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(!reason.isEmpty)
            #expect(error?.localizedDescription == error?.description)
        }
    }

    @Test(
        "an incomplete snapshot is not loaded",
        arguments: ["config.json", "tokenizer.json", "model.safetensors"]
    )
    func incomplete(file: String) async throws {
        let hub = try DemoHub(without: [file])
        let error = await #expect(throws: PhiEngineError.self) {
            try await LLMModelFactory.shared.loadContainer(
                hub: hub.offline,
                configuration: ModelRegistry.phi3_5_4bit
            )
        }
        guard case .modelNotAvailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a sharded snapshot is complete if all shards exist")
    func shards() async throws {
        let hub = try DemoHub()
        let index = #"{"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}"#
        let path = URL(filePath: "\(hub.snapshot)/model.safetensors.index.json")
        try Data(index.utf8).write(to: path)
        await #expect(throws: PhiEngineError.self) {
            try await LLMModelFactory.shared.load(
                hub: hub.offline,
                configuration: ModelRegistry.phi3_5_4bit
            )
        }
    }

    @Test("another architecture is refused by its name")
    func architecture() async throws {
        let folder = try TemporaryFolder()
        try folder.write("config.json", Array(#"{"model_type": "llama"}"#.utf8))
        try folder.write("model.safetensors", [2, 0, 0, 0, 0, 0, 0, 0] + Array("{}".utf8))
        let configuration = ModelConfiguration(directory: URL(filePath: folder.path))
        let error = await #expect(throws: PhiEngineError.self) {
            try await LLMModelFactory.shared.load(configuration: configuration)
        }
        guard case .unsupportedModelType(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("llama") && reason.contains("Phi-4"))
    }

    @Test("the registry knows the family, and accepts any other name")
    func registry() {
        let factory = LLMModelFactory.shared
        #expect(Set(factory.modelRegistry.models.map(\.name)) == Set(ModelName.registry.values))
        #expect(factory.contains(id: "mlx-community/Phi-4-mini-instruct-4bit"))
        #expect(
            factory.configuration(id: "mlx-community/Phi-3.5-mini-instruct-4bit")
                == ModelRegistry.phi3_5_4bit
        )
        #expect(!factory.contains(id: "org/model"))
        #expect(factory.configuration(id: "org/model").defaultPrompt == "hello")
    }

    @Test("a folder is named by its last two parts")
    func folderName() {
        let configuration = ModelConfiguration(directory: URL(filePath: "/models/org/phi"))
        #expect(configuration.name == "org/phi")
    }
}
