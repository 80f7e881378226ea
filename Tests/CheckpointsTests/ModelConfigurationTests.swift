import Checkpoints
import TestSupport
import Testing

/// The members of a small valid config.json.
private let validMembers = [
    "model_type": #""phi3""#, "hidden_size": "128", "intermediate_size": "256",
    "num_hidden_layers": "2", "num_attention_heads": "4", "num_key_value_heads": "2",
    "vocab_size": "320", "rms_norm_eps": "1e-05", "max_position_embeddings": "4096",
    "rope_theta": "10000", "eos_token_id": "2", "hidden_act": #""silu""#,
]

private let longRope = """
    {"type": "longrope", "short_factor": [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], \
    "long_factor": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}
    """

@Suite("model configuration")
struct ModelConfigurationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The configuration of `validMembers` with `changes`; an empty text removes a member.
    private func read(_ changes: [String: String]) throws -> ModelConfiguration {
        let members = validMembers.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        let text = "{\(members.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
        try folder.write("config.json", Array(text.utf8))
        return try ModelConfiguration(folder: folder.path)
    }

    private func readError(_ changes: [String: String]) -> CheckpointError? {
        do {
            _ = try read(changes)
            return nil
        } catch {
            return error as? CheckpointError
        }
    }

    @Test("a plain configuration is read with its defaults")
    func plain() throws {
        let configuration = try read(["num_key_value_heads": ""])
        #expect(configuration.headSize == 32)
        #expect(configuration.keyValueHeadCount == 4)
        #expect(configuration.rotaryDimensions == 32)
        #expect(configuration.ropeScaling == nil)
        #expect(configuration.quantization == nil)
        #expect(!configuration.tiesEmbeddings)
        #expect(configuration.stopTokens == [2])
        #expect(configuration.originalContextLength == 4096)
    }

    @Test(
        "LongRoPE is read in old and new formats",
        arguments: [
            ["rope_scaling": longRope, "original_max_position_embeddings": "4096"],
            ["rope_scaling": longRope.replacing("longrope", with: "su")],
            ["rope_scaling": longRope.replacing("longrope", with: "yarn")],
            [
                "rope_theta": "",
                "rope_parameters": longRope.replacing("\"type\"", with: "\"rope_type\"")
                    .replacing(
                        "{",
                        with: "{\"rope_theta\": 10000, \"partial_rotary_factor\": 1.0, "
                    ),
            ],
        ]
    )
    func longRopeSpellings(changes: [String: String]) throws {
        let all = changes.merging(["max_position_embeddings": "131072"]) { $1 }
        let configuration = try read(all)
        let scaling = try #require(configuration.ropeScaling)
        #expect(scaling.shortFactors[1] == 1.5)
        #expect(scaling.longFactors.count == 16)
        #expect(abs(scaling.longMagnitude - 1.190_238_071_423_808_3) < 1e-15)
        #expect(scaling.shortMagnitude == scaling.longMagnitude)
        #expect(configuration.originalContextLength == 4096)
        #expect(configuration.ropeBase == 10_000)
    }

    @Test(
        "the magnitudes are 1 within the original context, and can be set",
        arguments: [
            ("", [1, 1]), ("\"attention_factor\": 1.25, ", [1.25, 1.25]),
            ("\"short_mscale\": 1.1, \"long_mscale\": 1.2, ", [1.1, 1.2]),
            ("\"attention_factor\": 1.25, \"long_mscale\": 1.2, ", [1.25, 1.25]),
        ]
    )
    func magnitudes(given: String, expected: [Double]) throws {
        let rope = longRope.replacing("{", with: "{\(given)")
        let scaling = try #require(try read(["rope_scaling": rope]).ropeScaling)
        #expect([scaling.shortMagnitude, scaling.longMagnitude] == expected)
    }

    @Test("part of a head can rotate")
    func partialRotary() throws {
        #expect(try read(["partial_rotary_factor": "0.75"]).rotaryDimensions == 24)
        #expect(readError(["partial_rotary_factor": "0.01"]) != nil)
    }

    @Test("quantization is read from old and new files, with overrides for modules")
    func quantization() throws {
        let old = try read(["quantization": #"{"group_size": 64, "bits": 4}"#])
        #expect(
            old.quantization
                == Quantization(
                    standard: .affine(AffineQuantization(bits: 4, groupSize: 64)),
                    overrides: [:]
                )
        )
        let new = try read([
            "quantization_config": """
            {"group_size": 32, "bits": 8, "mode": "affine", "lm_head": false, \
            "model.layers.0.mlp.down_proj": {"group_size": 128, "bits": 4}, \
            "layers.1.mlp.down_proj": {"group_size": 64, "bits": 3}, \
            "layers.2.mlp.down_proj": true, "embed_tokens": false}
            """
        ])
        #expect(
            new.quantization
                == Quantization(
                    standard: .affine(AffineQuantization(bits: 8, groupSize: 32)),
                    overrides: [
                        "lm_head": .none,
                        "model.layers.0.mlp.down_proj": .scheme(
                            .affine(AffineQuantization(bits: 4, groupSize: 128))
                        ),
                        "model.layers.1.mlp.down_proj": .scheme(
                            .affine(AffineQuantization(bits: 3, groupSize: 64))
                        ),
                        "model.embed_tokens": .none,
                    ]
                )
        )
    }

    @Test("modes with floats are read, for all modules and for single ones")
    func floatModes() throws {
        let model = try read([
            "quantization": """
            {"group_size": 32, "bits": 4, "mode": "mxfp4", \
            "lm_head": {"group_size": 32, "bits": 8, "mode": "mxfp8"}, \
            "model.layers.0.mlp.down_proj": {"group_size": 16, "bits": 4, "mode": "nvfp4"}, \
            "model.embed_tokens": {"group_size": 64, "bits": 6}}
            """
        ])
        #expect(
            model.quantization
                == Quantization(
                    standard: .mxfp4,
                    overrides: [
                        "lm_head": .scheme(.mxfp8),
                        "model.layers.0.mlp.down_proj": .scheme(.nvfp4),
                        "model.embed_tokens": .scheme(
                            .affine(AffineQuantization(bits: 6, groupSize: 64))
                        ),
                    ]
                )
        )
    }

    @Test(
        "unsupported settings are refused by name",
        arguments: [
            (["model_type": #""llama""#], "\"llama\""), (["hidden_act": #""gelu""#], "gelu"),
            (["attention_bias": "true"], "attention_bias"),
            (["quantization": #"{"group_size": 32, "bits": 6, "mode": "mxfp6"}"#], "mxfp6"),
            (["quantization": #"{"group_size": 64, "bits": 4, "mode": "mxfp4"}"#], "groups of 64"),
            (["quantization": #"{"group_size": 32, "bits": 4, "mode": "mxfp8"}"#], "of 4 bits"),
            (
                ["quantization": #"{"mode": "nvfp4", "global_scale": true}"#],
                "nvfp4 with global scales"
            ),
            (["quantization": #"{"group_size": 64, "bits": 7}"#], "7 bits"),
            (["quantization": #"{"group_size": 16, "bits": 4}"#], "groups of 16"),
            (["quantization_config": #"{"quant_method": "awq", "bits": 4}"#], "awq"),
            (["rope_scaling": #"{"type": "linear", "factor": 2}"#], "linear"),
        ]
    )
    func unsupported(changes: [String: String], name: String) throws {
        let error = try #require(readError(changes))
        guard case .unsupported = error else {
            Issue.record("unexpected error \(error)")
            return
        }
        #expect(error.description.contains(name))
        #expect(error.description.contains("use a model with"))
    }

    @Test(
        "invalid settings are refused with their key",
        arguments: [
            ("hidden_size", "0"), ("hidden_size", "1e30"), ("hidden_size", "\"128\""),
            ("num_attention_heads", "3"), ("num_key_value_heads", "3"), ("vocab_size", "-1"),
            ("rms_norm_eps", "2"), ("rope_theta", "0"), ("tie_word_embeddings", "1"),
            ("eos_token_id", "[2, null]"), ("rope_scaling", "3"), ("quantization", "[]"),
            ("head_dim", "1"), ("head_dim", "513"),
        ]
    )
    func invalid(key: String, value: String) throws {
        let error = try #require(readError([key: value]))
        guard case .invalidSetting(_, key, _) = error else {
            Issue.record("unexpected error \(error)")
            return
        }
    }

    @Test(
        "missing settings are named",
        arguments: [
            "model_type", "hidden_size", "vocab_size", "rms_norm_eps", "max_position_embeddings",
        ]
    )
    func missing(key: String) {
        let path = folder.path + "/config.json"
        #expect(readError([key: ""]) == .missingSetting(path: path, key: key))
    }

    @Test("a missing, an empty and a damaged config.json have different errors")
    func damagedFile() throws {
        let path = folder.path + "/config.json"
        #expect(throws: CheckpointError.missingFile(path: path)) {
            try ModelConfiguration(folder: folder.path)
        }
        for text in ["", "[1]", "{\"a\": "] {
            try folder.write("config.json", Array(text.utf8))
            let error = #expect(throws: CheckpointError.self) {
                try ModelConfiguration(folder: folder.path)
            }
            guard case .malformedJSON(path, _) = error else {
                Issue.record("unexpected error \(String(describing: error))")
                return
            }
        }
    }

    @Test("the stop tokens are the union of those in all files")
    func stopTokens() throws {
        try folder.write(
            "generation_config.json",
            Array(#"{"eos_token_id": [5, 6]}"#.utf8)
        )
        try folder.write(
            "tokenizer_config.json",
            Array(
                #"""
                {"eos_token": {"content": "</s>"}, "added_tokens_decoder": {\#
                "7": {"content": "<|end|>"}, "8": {"content": "</s>"}, \#
                "9": {"content": "<|user|>"}}}
                """#.utf8
            )
        )
        #expect(try read([:]).stopTokens == [2, 5, 6, 7, 8])
    }

    @Test("Phi-3-small's turns end with a token that only its tokenizer's program names")
    func phi3SmallStopToken() throws {
        let tokenizer = #"{"tokenizer_class": "Phi3SmallTokenizer"}"#
        try folder.write("tokenizer_config.json", Array(tokenizer.utf8))
        #expect(try read([:]).stopTokens == [2, 100_266])
    }

    @Test("an invalid stop token is refused", arguments: ["-12", "x", "4294967296"])
    func malformedStopToken(id: String) throws {
        let tokenizer = #"{"added_tokens_decoder": {"\#(id)": {"content": "<|end|>"}}}"#
        try folder.write("tokenizer_config.json", Array(tokenizer.utf8))
        let error = #expect(throws: CheckpointError.self) { try read([:]) }
        #expect(try #require(error).description.contains("added_tokens_decoder"))
    }

    @Test("mutated configurations are refused or read")
    func fuzz() throws {
        var random = SeededGenerator(seed: 3)
        let members = validMembers.merging([
            "rope_scaling": longRope, "quantization": #"{"group_size": 64, "bits": 4}"#,
        ]) { $1 }
        let members2 = members.sorted { $0.key < $1.key }
        let valid = "{\(members2.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
        var refusedCount = 0
        for _ in 0..<2000 {
            try folder.write("config.json", random.mutate(Array(valid.utf8)))
            do {
                let read = try ModelConfiguration(folder: folder.path)
                #expect(read.headCount.isMultiple(of: read.keyValueHeadCount))
                #expect(read.rotaryDimensions <= read.headSize)
            } catch {
                refusedCount += 1
                #expect(!error.description.isEmpty)
            }
        }
        #expect(refusedCount > 500)
    }
}
