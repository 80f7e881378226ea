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

    /// Ids of additional stop tokens.
    public var eosTokenIds: Set<Int>
    /// The architecture, for names of models that this library cannot load; nil for others.
    var otherArchitecture: String?

    /// A model on the hub.
    public init(
        id: String,
        revision: String = "main",
        defaultPrompt: String = "hello",
        extraEOSTokens: Set<String> = [],
        eosTokenIds: Set<Int> = []
    ) {
        self.id = .id(id, revision: revision)
        self.defaultPrompt = defaultPrompt
        self.extraEOSTokens = extraEOSTokens
        self.eosTokenIds = eosTokenIds
    }

    /// A model in a local folder.
    public init(
        directory: URL,
        defaultPrompt: String = "hello",
        extraEOSTokens: Set<String> = [],
        eosTokenIds: Set<Int> = []
    ) {
        id = .directory(directory)
        self.defaultPrompt = defaultPrompt
        self.extraEOSTokens = extraEOSTokens
        self.eosTokenIds = eosTokenIds
    }

    /// The name on the hub, or the last two parts of the folder's path.
    public var name: String {
        switch id {
        case .id(let name, _): name
        case .directory(let url):
            "\(url.deletingLastPathComponent().lastPathComponent)/\(url.lastPathComponent)"
        }
    }

    /// This configuration with the folders that its sources were found in.
    public func resolved(
        modelDirectory: URL,
        tokenizerDirectory: URL
    ) -> ResolvedModelConfiguration {
        ResolvedModelConfiguration(
            modelDirectory: modelDirectory,
            tokenizerDirectory: tokenizerDirectory,
            name: name,
            defaultPrompt: defaultPrompt,
            extraEOSTokens: extraEOSTokens,
            eosTokenIds: eosTokenIds
        )
    }
}

/// A model's settings with the folders of its files.
public struct ResolvedModelConfiguration: Sendable, Hashable {
    /// The folder of configuration and weights.
    public var modelDirectory: URL
    /// The folder of the tokenizer.
    public var tokenizerDirectory: URL
    /// The name.
    public var name: String
    /// An example question.
    public var defaultPrompt: String
    /// Texts of additional stop tokens.
    public var extraEOSTokens: Set<String>
    /// Ids of additional stop tokens.
    public var eosTokenIds: Set<Int>
}
