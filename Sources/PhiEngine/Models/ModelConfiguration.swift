// Which model a program wants, in MLX Swift LM's words.

public import Foundation

/// A model by its name on the hub or by its folder, and what a program knows about it.
public struct ModelConfiguration: Sendable, Hashable {
    /// Where the model's files come from.
    public enum Identifier: Sendable, Hashable {
        /// `organization/name` on the hub, at a branch, tag or commit.
        case id(String, revision: String = "main")
        /// A folder with config.json, tokenizer.json, tokenizer_config.json and model*.safetensors.
        case directory(URL)
    }

    /// Where the model's files come from.
    public var id: Identifier
    /// A question to begin with, for programs that show one.
    public var defaultPrompt: String
    /// Texts of tokens that end an answer, beside those that the model's files name.
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

    /// A model in a folder; nothing is fetched for it.
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
