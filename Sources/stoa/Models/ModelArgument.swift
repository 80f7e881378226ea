// Models that arguments name.

import ChatServer
import FoundationEssentials

enum ModelArgument {
    /// The help text about what names a model.
    static let help = "Model folder or GGUF file, or the name of a model in the hub's cache."

    /// The folder or GGUF file `text`, or of the model of this name, such as `org/name:Q4_K_M`, in
    /// the hub's cache.
    /// - Throws: `StartupError`, which says what to do.
    static func path(_ text: String) throws(StartupError) -> String {
        let environment = ProcessInfo.processInfo.environment
        // Has the cache only if the user has no home directory.
        let data = try? ServerSettings.standardDataDirectory(environment: environment)
        let source = HubModels(environment: environment, dataDirectory: data ?? ".")
        return try ModelPlace(text, in: source).path
    }
}
