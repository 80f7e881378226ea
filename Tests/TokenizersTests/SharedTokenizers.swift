// The tokenizers that the tests use: the demo model's own, which is in the repository, and those of
// the real models, which are only where the folder `shared` is.

import Checkpoints
import FoundationEssentials
import TestSupport
import Tokenizers

/// A model whose tokenizer the tests may find.
enum TestModel: String, CaseIterable, Sendable {
    case demo = "demo-model"
    case phi3Mini = "Phi-3-mini-4k-instruct-4bit"
    case phi35Mini = "Phi-3.5-mini-instruct"
    case phi4Mini = "Phi-4-mini-instruct"
    case phi4 = "phi-4"

    /// The models whose files are not ours to commit.
    static let shared: [TestModel] = [.phi3Mini, .phi35Mini, .phi4Mini, .phi4]

    /// Whether `shared` is there; the tests of real models say this when they skip.
    static var hasShared: Bool { SharedFiles.has("models/phi-4/tokenizer.json") }

    /// Those of all models that are there.
    static var available: [TestModel] { hasShared ? allCases : [.demo] }

    /// The folder of the model's files.
    var folder: String {
        self == .demo
            ? "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
            : "\(SharedFiles.packageRoot)/../shared/models/\(rawValue)"
    }

    /// The model's tokenizer, loaded once for all tests.
    func tokenizer() throws -> Tokenizer { try Self.loaded[self]?.get() ?? load() }

    private static let loaded = Dictionary(
        uniqueKeysWithValues: available.map { model in (model, Result { try model.load() }) }
    )

    private func load() throws -> Tokenizer {
        guard self == .phi4Mini else { return try Tokenizer.load(folder: folder) }
        // This one lies there compressed.
        let temporary = try TemporaryFolder()
        try temporary.write("tokenizer.json", Gzip.expand("\(folder)/tokenizer.json.gz"))
        return try Tokenizer.load(folder: temporary.path)
    }
}

/// Reads golden files: one JSON object a line.
enum GoldenFile {
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
