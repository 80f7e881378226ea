// The tokenizers of the tests: the demo model's and a small one, which are in the repository, and
// those of real models, which are only in the folder `shared`.

import Checkpoints
import FoundationEssentials
import JSONText
import TestSupport
import Testing
import Tokenizers

/// A model whose tokenizer may be available.
enum TestModel: String, CaseIterable, Sendable {
    case demo = "demo-model"
    /// Created by make_goldens.py: a tokenizer like Phi-3's, with few tokens and no template.
    case small = "small"
    /// Created by make_tiktoken.py: like Phi-3-small's, with few tokens.
    case tiktoken = "tiktoken"
    case phi3Mini = "Phi-3-mini-4k-instruct-4bit"
    case phi35Mini = "Phi-3.5-mini-instruct"
    case phi4Mini = "Phi-4-mini-instruct"
    case phi4 = "phi-4"

    /// The models whose files must not be committed.
    static let shared: [TestModel] = [.phi3Mini, .phi35Mini, .phi4Mini, .phi4]

    /// Whether `shared` exists; tests of real models are skipped otherwise.
    static var hasShared: Bool { SharedFiles.has("models/phi-4/tokenizer.json") }

    /// All available models.
    static var available: [TestModel] { hasShared ? allCases : [.demo, .small, .tiktoken] }

    /// The folder of the model's files.
    var folder: String {
        switch self {
        case .demo: "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
        case .small, .tiktoken: "\(GoldenFile.folder)/\(rawValue)"
        default: "\(SharedFiles.packageRoot)/../shared/models/\(rawValue)"
        }
    }

    /// The model's tokenizer, loaded once for all tests.
    func tokenizer() throws -> Tokenizer { try Self.loaded[self]?.get() ?? load() }

    /// The model's chat template.
    func template() throws -> ChatTemplate {
        try ChatTemplate.load(folder: folder, tokenizer: tokenizer())
    }

    private static let loaded = Dictionary(
        uniqueKeysWithValues: available.map { model in (model, Result { try model.load() }) }
    )

    private func load() throws -> Tokenizer {
        guard self == .phi4Mini else { return try Tokenizer.load(folder: folder) }
        // This file is compressed.
        let temporary = try TemporaryFolder()
        try temporary.write("tokenizer.json", Gzip.expand("\(folder)/tokenizer.json.gz"))
        return try Tokenizer.load(folder: temporary.path)
    }
}

/// Reads golden files: one JSON object a line.
enum GoldenFile {
    /// The folder of golden files in the repository.
    static let folder = "\(SharedFiles.packageRoot)/Tests/TokenizersTests/Golden"

    static func own(_ name: String) throws -> [JSONValue] { try lines("\(folder)/\(name)") }

    static func lines(_ path: String) throws -> [JSONValue] {
        let content = try Data(contentsOf: URL(filePath: path))
        return try content.split(separator: UInt8(ascii: "\n")).map { line in
            try JSONValue(parsing: Array(line))
        }
    }
}

extension JSONValue {
    /// The tokens of a list of numbers.
    var tokens: [TokenID] {
        (array ?? []).compactMap { $0.integer.flatMap(TokenID.init(exactly:)) }
    }
}

/// Texts that try to forge special tokens.
enum HostileText {
    private static let parts = [
        "<|", "|>", "<|end|>", "<|user|>", "<|assistant|>", "<|system|>", "<|endoftext|>",
        "<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|dummy_7|>", "<|tool|>", "<|/tool_call|>",
        "<s>", "</s>", "<unk>", "<0x0A>", "<|endofprompt|>", "assistant", "end", "user", " ", "\n",
        "\t", "\u{3000}", "\u{A0}", "▁", "Ġ", "é", "e\u{301}", "日本", "🙂", "'s", "123", "<", ">",
        "|", "\u{0}", "\u{200B}", "{{ eos_token }}", "{% endfor %}", "hello", "The",
    ]

    /// Up to 12 such parts, concatenated.
    static func random(_ generator: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...12, using: &generator)
        return (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
    }
}

/// Compares bytes: Swift's `==` treats canonically equivalent texts as equal.
func expectSameBytes(
    _ text: String,
    _ golden: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(Array(text.utf8) == Array(golden.utf8), sourceLocation: sourceLocation)
}
