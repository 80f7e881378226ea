// What config.json says about the architecture. Each has keys of its own; what would change the
// computation and is not computed is refused by name.

extension Architecture {
    /// The architecture of `config`.
    /// - Throws: `.unsupported`, or `.missingSetting`.
    init(_ config: ConfigurationFile) throws(CheckpointError) {
        guard let type = try config.string("model_type") else {
            throw .missingSetting(path: config.path, key: "model_type")
        }
        guard let architecture = Architecture(modelType: type) else {
            throw .unsupported(
                path: config.path,
                what: "the architecture",
                found: "\"\(type)\"",
                supported: Self.alternative(to: type)
            )
        }
        self = architecture
    }

    /// The architecture that config.json names so; nil if there is none.
    init?(modelType: String) {
        // As transformers names it; the authors' own programs say "phi4mm".
        self.init(rawValue: modelType == "phi4_multimodal" ? Self.phi4mm.rawValue : modelType)
    }

    /// What to use instead of a model of `type`.
    private static func alternative(to type: String) -> String {
        switch type {
        case "phi-msft", "mixformer-sequential":
            "model_type \"phi\": newer revisions of Phi-1, Phi-1.5 and Phi-2 have it"
        default:
            "model_type \"phi3\", \"phi\", \"phimoe\", \"phi3small\" or \"phi4mm\": Phi-1 to "
                + "Phi-4, without images and speech"
        }
    }

    /// The key of the MLP's width.
    var intermediateSizeKey: String {
        self == .phi3small ? "ff_intermediate_size" : "intermediate_size"
    }

    /// The key of the norms' epsilon.
    var epsilonKey: String {
        switch self {
        case .phi3, .phimoe, .phi4mm: "rms_norm_eps"
        case .phi: "layer_norm_eps"
        case .phi3small: "layer_norm_epsilon"
        }
    }

    /// The key of the rotary base.
    var ropeBaseKey: String { self == .phi3small ? "rope_embedding_base" : "rope_theta" }

    /// The rotary base if the file has none.
    var defaultRopeBase: Double { self == .phi3small ? 1_000_000 : 10_000 }

    /// The part of a head that is rotated if the file does not say it; nil if it must: mlx-lm (of
    /// `phi4mm`, mlx-vlm) and transformers assume different ones.
    var defaultRotaryFactor: Double? { self == .phi || self == .phi4mm ? nil : 1 }

    /// Whether the embedding is the output head if the file does not say it. Transformers leaves the
    /// key out of files of `phi4mm`, where that is its default; those of `phi3small` never have it.
    var tiesEmbeddingsByDefault: Bool { self == .phi3small || self == .phi4mm }

    /// The names of its activation.
    fileprivate var activationNames: [String] {
        switch self {
        case .phi3, .phimoe, .phi4mm: ["silu", "swish"]
        case .phi: ["gelu_new", "gelu_pytorch_tanh"]
        case .phi3small: ["gegelu"]
        }
    }

    /// Settings that must be absent or false.
    fileprivate var refusedSettings: [String] {
        switch self {
        case .phi3: ["attention_bias", "mlp_bias"]
        case .phi: ["qk_layernorm"]
        case .phimoe: []
        case .phi3small: ["blocksparse_homo_head_pattern"]
        case .phi4mm: ["attention_bias", "mlp_bias", "lm_head_bias"]
        }
    }
}

extension LayerDesign {
    /// The design of the layers that `config` describes.
    init(
        _ config: ConfigurationFile,
        _ architecture: Architecture,
        vocabularyCount: Int,
        headSize: Int
    ) throws(CheckpointError) {
        try Self.refuseOtherSettings(config, architecture)
        switch architecture {
        case .phi3, .phi4mm: break
        case .phi:
            norm = .layer
            block = .parallel
            activation = .gelu
        case .phimoe:
            norm = .layer
            experts = try Self.experts(config)
        case .phi3small:
            norm = .layer
            let limit = try config.double("gegelu_limit", in: 0...1e6)
            activation = .gegelu(limit: Float(limit))
            headOrder = .byKeyHead
            sparsity = try Self.sparsity(config)
            try readScales(config, headSize: headSize)
            unusedTokens = Self.unusedTokens.filter { $0 < vocabularyCount }
        }
    }

    private static func refuseOtherSettings(
        _ config: ConfigurationFile,
        _ architecture: Architecture
    ) throws(CheckpointError) {
        let names = architecture.activationNames
        let activation = try config.string("hidden_act") ?? names[0]
        guard names.contains(activation) else {
            throw .unsupported(
                path: config.path,
                what: "the activation",
                found: "\"\(activation)\"",
                supported: "hidden_act \"\(names[0])\""
            )
        }
        for key in architecture.refusedSettings where try config.bool(key, default: false) {
            throw .unsupported(
                path: config.path,
                what: "the setting",
                found: "\(key) true",
                supported: "\(key) false"
            )
        }
    }

    private static func experts(
        _ config: ConfigurationFile
    ) throws(CheckpointError) -> ExpertChoice {
        let count = try config.integer("num_local_experts", in: 1...1024, default: 16)
        return ExpertChoice(
            count: count,
            chosenCount: try config.integer("num_experts_per_tok", in: 1...count, default: 2),
            jitter: try config.double("router_jitter_noise", in: 0...1, default: 0.01)
        )
    }

    private static func sparsity(
        _ config: ConfigurationFile
    ) throws(CheckpointError) -> BlockSparsity {
        // mlx-lm and the authors number layers differently; they agree about every second one.
        let distance = try config.integer("dense_attention_every_n_layers", in: 1...1024)
        let scale = try config.double("rope_position_scale", in: 0...1e6, default: 1)
        guard distance == 2, scale == 1 else {
            throw .unsupported(
                path: config.path,
                what: "the setting",
                found: distance == 2
                    ? "rope_position_scale \(scale)"
                    : "dense_attention_every_n_layers \(distance)",
                supported: "dense_attention_every_n_layers 2 and rope_position_scale 1"
            )
        }
        return BlockSparsity(
            blockPositions: try config.integer(
                "blocksparse_block_size",
                in: 1...65_536,
                default: 64
            ),
            localBlocks: try config.integer(
                "blocksparse_num_local_blocks",
                in: 1...65_536,
                default: 16
            ),
            stride: try config.integer("blocksparse_vert_stride", in: 1...65_536, default: 8)
        )
    }

    /// The scales of maximal update parametrization ("mup").
    private mutating func readScales(
        _ config: ConfigurationFile,
        headSize: Int
    ) throws(CheckpointError) {
        let range = 1e-6...1e6
        if try config.bool("mup_use_scaling", default: true) {
            let multiplier = try config.double("mup_attn_multiplier", in: range, default: 1)
            attentionScale = multiplier / Double(headSize)
        }
        embeddingScale = try config.double("mup_embedding_multiplier", in: range, default: 10)
        logitScale = 1 / (try config.double("mup_width_multiplier", in: range, default: 8))
    }

    /// Phi-3-small's rows without a token, as in mlx-lm.
    private static let unusedTokens: [TokenID] =
        [100_256, 100_258, 100_259, 100_260, 100_264, 100_265] + Array(100_267..<100_352)
}
