// Selects a model, with the names of MLX Swift LM.

public import Foundation

/// A model by its name on the hub or by its folder, with its settings.
public struct ModelConfiguration: Sendable, Hashable {
    /// The source of the model's files.
    public enum Identifier: Sendable, Hashable {
        /// `organization/name` on the hub, at a branch, tag or commit.
        case id(String, revision: String = "main")
        /// A folder with config.json, tokenizer.json, tokenizer_config.json and model*.safetensors.
        case directory(URL)
    }

    /// The source of the model's files.
    public var id: Identifier
    /// An example question, for programs that show one.
    public var defaultPrompt: String
    /// Texts of additional stop tokens, beside those that the model's files name.
    public var extraEOSTokens: Set<String>

    /// A model on the hub.
    public init(
        id: String,
        revision: String = "main",
        defaultPrompt: String = "hello",
        extraEOSTokens: Set<String> = []
    ) {
        self.id = .id(id, revision: revision)
        self.defaultPrompt = defaultPrompt
        self.extraEOSTokens = extraEOSTokens
    }

    /// A model in a local folder.
    public init(
        directory: URL,
        defaultPrompt: String = "hello",
        extraEOSTokens: Set<String> = []
    ) {
        id = .directory(directory)
        self.defaultPrompt = defaultPrompt
        self.extraEOSTokens = extraEOSTokens
    }

    /// The name on the hub, or the last two parts of the folder's path.
    public var name: String {
        switch id {
        case .id(let name, _): name
        case .directory(let url):
            "\(url.deletingLastPathComponent().lastPathComponent)/\(url.lastPathComponent)"
        }
    }
}
