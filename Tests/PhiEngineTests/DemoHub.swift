// A hub cache in a temporary folder that holds the demo model under another model's name.

import Foundation
import Inference
import PhiEngine
import TestSupport
import Tokenizers

/// The demo model's files in the layout of the Hugging Face tools.
final class DemoHub: Sendable {
    static let demoFolder = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
    static let commit = String(repeating: "d", count: 40)

    let folder: TemporaryFolder
    /// The value of HF_HOME.
    var home: String { folder.path }
    /// The model's snapshot.
    let snapshot: String

    /// A cache with the model `name`, without the files `missing`.
    init(_ name: String = LLMRegistry.phi3_5_4bit.name, without missing: Set<String> = []) throws {
        folder = try TemporaryFolder()
        let model = "\(folder.path)/hub/models--\(name.replacing("/", with: "--"))"
        snapshot = "\(model)/snapshots/\(Self.commit)"
        let files = FileManager.default
        for path in ["\(model)/refs", snapshot] {
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Data(Self.commit.utf8).write(to: URL(filePath: "\(model)/refs/main"))
        for file in try files.contentsOfDirectory(atPath: Self.demoFolder)
        where !missing.contains(file) {
            try files.createSymbolicLink(
                atPath: "\(snapshot)/\(file)",
                withDestinationPath: "\(Self.demoFolder)/\(file)"
            )
        }
    }

    /// This cache in offline mode.
    var offline: HubApi {
        HubApi(downloadBase: URL(filePath: "\(folder.path)/hub"), useOfflineMode: true)
    }
}

/// The demo model, loaded once for all tests, which only read it.
enum Demo {
    static let container: @Sendable () async throws -> ModelContainer = {
        let loading = Task {
            try await LLMModelFactory.shared.loadContainer(
                configuration: ModelConfiguration(directory: URL(filePath: DemoHub.demoFolder))
            )
        }
        return { try await loading.value }
    }()

    static let question = "What is the capital of Finland?"

    /// The greedy answer that the engine itself generates.
    static func answer(to messages: [ChatMessage], maxNewTokens: Int = 64) throws -> String {
        var text = ""
        _ = try LoadedModel.load(folder: DemoHub.demoFolder).generate(
            messages: messages,
            maxNewTokens: maxNewTokens
        ) { text += $0 }
        return text
    }
}
