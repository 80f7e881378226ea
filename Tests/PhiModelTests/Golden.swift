// The reference values in Golden/: tiny random models in MLX's layout, with logits and greedy
// tokens that mlx-lm computed in float32 and an independent float64 program confirmed to 1e-4.
// Tools/golden makes them.

import Checkpoints
import FoundationEssentials
import JSONText
import PhiModel
import TestSupport
import Testing

/// One reference sequence of a tiny model.
struct GoldenSequence: Sendable, CustomTestStringConvertible {
    let rule: RopeRule
    let tokens: [TokenID]
    /// All logits after the last token.
    let lastLogits: [Float]
    /// The first eight logits after each token.
    let firstLogits: [[Float]]
    let argmax: [Int]
    /// 24 greedy tokens that follow.
    let greedy: [TokenID]

    var testDescription: String { "\(tokens.count) tokens, \(rule)" }
}

/// The tiny models and their values.
enum Golden {
    /// Models of 320 tokens of each architecture, for tests that need no values.
    static let modelNames = [
        "tiny-phi3-4bit", "tiny-phi3-4bit-f16", "tiny-phi3-8bit-g32", "tiny-phi4-bf16",
        "tiny-phi4mini-4bit", "phi-4bit", "phimoe-4bit", "phi3small-4bit", "phi4mm-4bit",
    ]

    private static let folder = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden"

    /// All models with values: their names in Golden/, and the paths of those in the folder that
    /// the environment variable `STOA_GOLDEN` names.
    static let allModels: [String] = {
        let fresh = ProcessInfo.processInfo.environment["STOA_GOLDEN"]
        return models(in: folder)
            + (fresh.map { root in models(in: root).map { "\(root)/\($0)" } } ?? [])
    }()

    /// Those whose logits change continuously with activations, and those that choose experts.
    static let smoothModels = allModels.filter { !isMixture($0) }
    static let mixtures = allModels.filter(isMixture)

    /// Adapters with values, by their paths: the folder's name begins with its model's.
    static let adapters: [String] = {
        let fresh = ProcessInfo.processInfo.environment["STOA_GOLDEN"]
        return models(in: path("adapters")).map { "adapters/\($0)" }
            + (fresh.map { root in
                models(in: "\(root)/adapters").map { "\(root)/adapters/\($0)" }
            } ?? [])
    }()

    /// The model of an adapter.
    static func base(of adapter: String) -> String {
        let name = adapter.split(separator: "/").last ?? ""
        return String(name.prefix { $0 != "+" })
    }

    /// An adapter, loaded for its model.
    static func adapter(_ name: String, for model: PhiModel) throws -> Adapter {
        let name = name.contains("/") ? name : "adapters/\(name)"
        return try Adapter(AdapterCheckpoint.open(path(name)), for: model)
    }

    private static func isMixture(_ name: String) -> Bool {
        (try? ModelConfiguration(folder: path(name)))?.design.experts != nil
    }

    private static func models(in root: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root)
        return (names ?? []).sorted().filter { name in
            FileManager.default.fileExists(atPath: "\(root)/\(name)/golden_logits.json")
        }
    }

    /// The path of `name` in the folder of reference values; a path is returned unchanged.
    static func path(_ name: String) -> String {
        name.hasPrefix("/") ? name : "\(folder)/\(name)"
    }

    /// The model `name`, with this process' kernels or named ones.
    static func model(_ name: String, kernels: String? = nil) throws -> PhiModel {
        guard let kernels else { return try PhiModel(folder: path(name)) }
        return try PhiModel(folder: path(name), kernels: #require(Kernels(named: kernels)))
    }

    static func json(_ name: String) throws -> JSONValue {
        try MappedFile(path: path(name)).parseJSON()
    }

    static func sequences(_ model: String) throws -> [GoldenSequence] {
        try json("\(model)/golden_logits.json").list().map { entry in
            GoldenSequence(
                rule: entry["rope"]?.string?.hasPrefix("long") == true ? .alwaysLong : .alwaysShort,
                tokens: try entry.list("input_ids").map { TokenID($0.integer ?? -1) },
                lastLogits: try entry.floats("logits_last"),
                firstLogits: try entry.list("logits_first8").map { try $0.floats() },
                argmax: try entry.list("logits_argmax").map { $0.integer ?? -1 },
                greedy: try entry.list("greedy_24").map { TokenID($0.integer ?? -1) }
            )
        }
    }
}

extension JSONValue {
    /// This value, or its member `key`, as a list; what is missing fails the test.
    func list(_ key: String? = nil) throws -> [JSONValue] {
        guard let list = (key.map { self[$0] } ?? self)?.array else {
            throw MissingGolden(what: key ?? "list")
        }
        return list
    }

    /// This value, or its member `key`, as floats.
    func floats(_ key: String? = nil) throws -> [Float] {
        try list(key).map { value in
            guard let number = value.double else { throw MissingGolden(what: "number") }
            return Float(number)
        }
    }
}

/// A missing reference value.
struct MissingGolden: Error {
    let what: String
}

/// The largest difference of two lists of the same length.
func maximumDifference(_ left: [Float], _ right: [Float]) -> Float {
    precondition(left.count == right.count, "lists of one length")
    return zip(left, right).reduce(0) { max($0, abs($1.0 - $1.1)) }
}

/// The position of the largest number; of the first one where several are.
func argmax(_ logits: [Float]) -> Int {
    logits.indices.reduce(0) { logits[$1] > logits[$0] ? $1 : $0 }
}
