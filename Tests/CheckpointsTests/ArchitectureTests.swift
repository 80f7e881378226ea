import Checkpoints
import TestSupport
import Testing

/// The members of config.json that the architectures share.
private let shared = [
    "hidden_size": "64", "num_hidden_layers": "2", "num_attention_heads": "4", "vocab_size": "320",
    "max_position_embeddings": "2048",
]

/// A small valid config.json of each architecture, less those.
private let own: [Architecture: [String: String]] = [
    .phi3: ["intermediate_size": "96", "rms_norm_eps": "1e-5"],
    .phi: [
        "intermediate_size": "256", "layer_norm_eps": "1e-5", "partial_rotary_factor": "0.5",
        "hidden_act": #""gelu_new""#,
    ],
    .phimoe: [
        "intermediate_size": "96", "rms_norm_eps": "1e-5", "num_local_experts": "16",
        "num_experts_per_tok": "2", "attention_bias": "true",
    ],
    .phi3small: [
        "ff_intermediate_size": "96", "layer_norm_epsilon": "1e-5", "gegelu_limit": "20",
        "dense_attention_every_n_layers": "2", "hidden_act": #""gegelu""#,
        "mup_attn_multiplier": "1.0", "num_key_value_heads": "2",
    ],
    .phi4mm: [
        "intermediate_size": "96", "rms_norm_eps": "1e-5", "partial_rotary_factor": "0.75",
        "attention_bias": "false",
    ],
]

@Suite("architectures")
struct ArchitectureTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func read(
        _ architecture: Architecture,
        _ changes: [String: String] = [:]
    ) throws(CheckpointError) -> ModelConfiguration {
        var members = shared.merging(own[architecture] ?? [:]) { $1 }
        members["model_type"] = "\"\(architecture.rawValue)\""
        let all = members.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        let text = "{\(all.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
        _ = try? folder.write("config.json", Array(text.utf8))
        return try ModelConfiguration(folder: folder.path)
    }

    @Test("each is read with its own keys", arguments: Architecture.allCases)
    func keys(architecture: Architecture) throws {
        let configuration = try read(architecture)
        #expect(configuration.architecture == architecture)
        #expect(configuration.intermediateSize == (architecture == .phi ? 256 : 96))
        #expect(configuration.normEpsilon == 1e-5)
        let rotated: [Architecture: Int] = [.phi: 8, .phi4mm: 12]
        #expect(configuration.rotaryDimensions == rotated[architecture] ?? 16)
        #expect(configuration.tiesEmbeddings == [.phi3small, .phi4mm].contains(architecture))
        #expect(configuration.ropeBase == (architecture == .phi3small ? 1e6 : 1e4))
    }

    @Test("phi3's design is the standard one")
    func phi3() throws {
        #expect(try read(.phi3).design == LayerDesign())
    }

    @Test("phi4mm's text model has phi3's design, and transformers' name for it is read, too")
    func phi4mm() throws {
        let configuration = try read(.phi4mm)
        #expect(configuration.design == LayerDesign())
        #expect(try read(.phi4mm, ["model_type": #""phi4_multimodal""#]) == configuration)
        #expect(try !read(.phi4mm, ["tie_word_embeddings": "false"]).tiesEmbeddings)
    }

    @Test("settings of single modules are found under mlx-vlm's names")
    func moduleSettings() throws {
        let quantization = #"""
            {"group_size": 64, "bits": 4, "vision_tower.blocks": false,
            "language_model.model.layers.0.mlp.down_proj": {"group_size": 32, "bits": 8}}
            """#
        let settings = try read(.phi4mm, ["quantization": quantization]).quantization
        let wide = QuantizationScheme.affine(AffineQuantization(bits: 8, groupSize: 32))
        #expect(settings?.scheme(of: "model.layers.0.mlp.down_proj") == wide)
        #expect(settings?.scheme(of: "model.layers.1.mlp.down_proj")?.bits == 4)
    }

    @Test("phi has parallel blocks, LayerNorm and GELU")
    func phi() throws {
        let design = try read(.phi).design
        #expect(design.block == .parallel && design.norm == .layer && design.activation == .gelu)
    }

    @Test("phimoe chooses experts")
    func phimoe() throws {
        let design = try read(.phimoe).design
        #expect(design.experts == ExpertChoice(count: 16, chosenCount: 2, jitter: 0.01))
        #expect(design.block == .sequential && design.norm == .layer)
    }

    @Test("phi3small scales, hides rows without tokens, and is sparse in every second layer")
    func phi3small() throws {
        let design = try read(.phi3small, ["vocab_size": "100352"]).design
        #expect(design.attentionScale == 1.0 / 16)
        #expect(design.embeddingScale == 10 && design.logitScale == 1.0 / 8)
        #expect(design.activation == .gegelu(limit: 20) && design.headOrder == .byKeyHead)
        #expect(
            design.sparsity == BlockSparsity(blockPositions: 64, localBlocks: 16, stride: 8)
        )
        #expect(design.unusedTokens.count == 91)
        #expect(!design.unusedTokens.contains(100_257) && design.unusedTokens.last == 100_351)
        #expect(try read(.phi3small).design.unusedTokens.isEmpty)
        let unscaled = try read(.phi3small, ["mup_use_scaling": "false"]).design
        #expect(unscaled.attentionScale == nil)
    }

    @Test(
        "what is not computed is refused by name",
        arguments: [
            (.phi, ["qk_layernorm": "true"], "qk_layernorm"),
            (.phi, ["hidden_act": #""relu""#], "relu"),
            (.phimoe, ["hidden_act": #""gelu""#], "gelu"),
            (.phi3small, ["dense_attention_every_n_layers": "3"], "every_n_layers 3"),
            (.phi3small, ["rope_position_scale": "2"], "rope_position_scale 2"),
            (.phi3small, ["blocksparse_homo_head_pattern": "true"], "homo_head_pattern"),
            (.phi4mm, ["lm_head_bias": "true"], "lm_head_bias"),
            (.phi4mm, ["attention_bias": "true"], "attention_bias"),
            (.phi4mm, ["rope_scaling": #"{"type": "linear"}"#], "linear"),
            (.phi4mm, ["quantization_config": #"{"quant_method": "modelopt"}"#], "modelopt"),
            (.phi3, ["model_type": #""phi3_v""#], "without images"),
            (.phi3, ["model_type": #""phi4flash""#], "\"phi4flash\""),
            (.phi3, ["model_type": #""phi-msft""#], "newer revisions"),
        ] as [(Architecture, [String: String], String)]
    )
    func refused(architecture: Architecture, changes: [String: String], name: String) throws {
        let error = #expect(throws: CheckpointError.self) { try read(architecture, changes) }
        guard case .unsupported = error else {
            Issue.record("unexpected error \(String(describing: error))")
            return
        }
        #expect(error?.description.contains(name) == true, "\(String(describing: error))")
    }

    @Test(
        "missing and invalid settings are named",
        arguments: [
            (.phi, "partial_rotary_factor", ""), (.phi, "layer_norm_eps", ""),
            (.phi4mm, "partial_rotary_factor", ""), (.phi4mm, "rms_norm_eps", ""),
            (.phimoe, "num_experts_per_tok", "17"), (.phimoe, "num_local_experts", "0"),
            (.phi3small, "gegelu_limit", ""), (.phi3small, "ff_intermediate_size", ""),
            (.phi3small, "dense_attention_every_n_layers", ""),
            (.phi3small, "blocksparse_block_size", "0"),
        ] as [(Architecture, String, String)]
    )
    func invalid(architecture: Architecture, key: String, value: String) throws {
        let error = #expect(throws: CheckpointError.self) {
            try read(architecture, [key: value])
        }
        #expect(error?.description.contains(key) == true)
    }

    @Test("parameters are counted as published: 2.78, 41.9, 7.39 and 3.84 billion")
    func parameters() throws {
        let phi2 = try read(
            .phi,
            [
                "hidden_size": "2560", "intermediate_size": "10240", "num_hidden_layers": "32",
                "num_attention_heads": "32", "vocab_size": "51200", "partial_rotary_factor": "0.4",
            ]
        )
        #expect(phi2.parameterCount == 2_779_683_840)
        #expect(phi2.rotaryDimensions == 32)
        let mixture = try read(
            .phimoe,
            [
                "hidden_size": "4096", "intermediate_size": "6400", "num_hidden_layers": "32",
                "num_attention_heads": "32", "num_key_value_heads": "8", "vocab_size": "32064",
            ]
        )
        #expect(mixture.parameterCount == 41_873_153_344)
        let small = try read(
            .phi3small,
            [
                "hidden_size": "4096", "ff_intermediate_size": "14336", "num_hidden_layers": "32",
                "num_attention_heads": "32", "num_key_value_heads": "8", "vocab_size": "100352",
            ]
        )
        #expect(small.parameterCount == 7_392_272_384)
        let text = try read(
            .phi4mm,
            [
                "hidden_size": "3072", "intermediate_size": "8192", "num_hidden_layers": "32",
                "num_attention_heads": "24", "num_key_value_heads": "8", "vocab_size": "200064",
            ]
        )
        #expect(text.parameterCount == 3_836_021_760)
    }
}
