// Models that the benchmarks' options name, as the server's settings name them.

import ChatServer
import FoundationEssentials

enum BenchmarkModel {
    /// What an option accepts, for its help.
    static let help = "its folder or GGUF file, or its name in the hub's cache"

    /// The folder or GGUF file of a model.
    /// - Throws: `StartupError`, which says what to do, if there is none.
    static func path(_ text: String) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let source = HubModels(
            environment: environment,
            dataDirectory: ServerSettings().dataDirectory
        )
        return try ModelPlace(text, in: source).path
    }
}
