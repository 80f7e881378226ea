// Fresh reference values: `make_oracle.py --out FOLDER --seed N`, then these tests with
// STOA_ORACLE=FOLDER in the environment. Skipped otherwise.

import Checkpoints
import FoundationEssentials
import PhiModel
import Testing

private let oracleFolder = ProcessInfo.processInfo.environment["STOA_ORACLE"]

/// NumPy in float64 and mlx in float32 differ by up to 1.1e-4 on these models.
private let tolerance: Float = 1e-3

@Suite(
    "fresh reference values of mlx-lm",
    .enabled(if: oracleFolder != nil, "skipped: STOA_ORACLE names no folder")
)
struct OracleTests {
    /// The variants that this engine computes; the remaining one has modules of 6 bits.
    private static let variants = [
        "a_phi3_mha_4bit", "b_phi35_longrope_4bit", "c_phi4mini_gqa_tied_4bit", "d_phi3_bf16",
        "e_phi3_8bit", "f_phi3_4bit_g32", "g_phi35_f16_old_config", "h_phi3_4bit_sharded",
        "j_phi4mini_bf16_tied",
    ]

    @Test("mlx-lm's rule: long factors at every length", arguments: variants)
    func mlxRule(variant: String) throws {
        let oracle = try Oracle("\(oracleFolder ?? "")/\(variant)")
        for prompt in oracle.prompts {
            let logits = try oracle.logits(of: prompt.ids + prompt.greedy.dropLast(), .alwaysLong)
            try oracle.check(prompt, steps: "steps_f32", logits.suffix(prompt.greedy.count))
            #expect(logits.suffix(prompt.greedy.count).map(argmax) == prompt.greedy.map(Int.init))
        }
    }

    @Test("the authors' rule: short factors up to the original context", arguments: variants)
    func authorsRule(variant: String) throws {
        let oracle = try Oracle("\(oracleFolder ?? "")/\(variant)")
        let border = oracle.model.configuration.originalContextLength
        for prompt in oracle.prompts {
            guard let greedy = prompt.authorsGreedy else { continue }
            let tokens = prompt.ids + greedy.dropLast()
            let short = try oracle.logits(of: tokens, .alwaysShort)
            let long = try oracle.logits(of: tokens, .alwaysLong)
            // After position i, the sequence has i + 1 tokens.
            let logits = tokens.indices.map { $0 + 1 > border ? long[$0] : short[$0] }
            try oracle.check(prompt, steps: "steps_hf", logits.suffix(greedy.count))
        }
    }

    @Test("a module of 6 bits is refused by name")
    func mixedBits() {
        let error = #expect(throws: CheckpointError.self) {
            try PhiModel(folder: "\(oracleFolder ?? "")/i_phi4mini_mixed_bits")
        }
        #expect(error?.description.contains("6 bits") == true)
    }
}

/// One variant's folder.
private struct Oracle {
    struct Prompt {
        let name: String
        let ids: [TokenID]
        let greedy: [TokenID]
        let authorsGreedy: [TokenID]?
    }

    let model: PhiModel
    let prompts: [Prompt]
    private let tensors: [String: Tensor]

    init(_ folder: String) throws {
        model = try PhiModel(folder: folder)
        let golden = try MappedFile(path: "\(folder)/golden.json").parseJSON()
        prompts = try golden.list("prompts").map { prompt in
            Prompt(
                name: prompt["name"]?.string ?? "",
                ids: try prompt.tokens("ids"),
                greedy: try prompt.tokens("greedy_f32"),
                authorsGreedy: try? prompt.tokens("greedy_hf")
            )
        }
        let file = try SafetensorsFile(path: "\(folder)/golden.safetensors")
        tensors = Dictionary(uniqueKeysWithValues: file.tensors.map { ($0.name, $0) })
    }

    func logits(of tokens: [TokenID], _ rule: RopeRule) throws -> [[Float]] {
        let cache = try model.makeCache(
            capacity: tokens.count,
            ropeFactors: model.ropeFactors(forLength: tokens.count, rule: rule)
        )
        return try model.makeSession(threadCount: 2).logitsOfAllPositions(tokens, cache: cache)
    }

    func check(_ prompt: Prompt, steps: String, _ logits: ArraySlice<[Float]>) throws {
        let tensor = try #require(tensors["\(prompt.name).\(steps)"])
        defer { extendLifetime(tensor) }
        let bytes = tensor.bytes
        let expected = (0..<tensor.elementCount).map {
            bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
        }
        let difference = maximumDifference(logits.flatMap { $0 }, expected)
        #expect(difference < tolerance)
    }
}

extension JSONValue {
    fileprivate func tokens(_ key: String) throws -> [TokenID] {
        try list(key).map { TokenID($0.integer ?? -1) }
    }
}
