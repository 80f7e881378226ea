// The configuration of a model folder, validated and with the same names for old and new files.
// Weights are not read.

import JSONText

/// The configuration of a Phi model.
public struct ModelConfiguration: Sendable, Equatable {
    /// The architecture.
    public var architecture: Architecture
    /// How its layers differ from those of other architectures.
    public var design: LayerDesign
    /// The width of the residual stream.
    public var hiddenSize: Int
    /// The width between the MLP's two products, or between those of an expert.
    public var intermediateSize: Int
    /// The number of layers.
    public var layerCount: Int
    /// The number of query heads.
    public var headCount: Int
    /// The number of key and value heads; divides `headCount`.
    public var keyValueHeadCount: Int
    /// The width of a head.
    public var headSize: Int
    /// The number of leading elements of a head that are rotated; even.
    public var rotaryDimensions: Int
    /// The number of rows of the embedding; in most models more than the tokenizer's tokens.
    public var vocabularyCount: Int
    /// Added to the mean square, or to the variance, inside a norm's root.
    public var normEpsilon: Float
    /// The base of the rotary frequencies.
    public var ropeBase: Double
    /// LongRoPE; nil for plain rotary embeddings.
    public var ropeScaling: RopeScaling?
    /// The maximum context length of the model, in tokens.
    public var contextLength: Int
    /// The maximum sequence length for LongRoPE's short factors.
    public var originalContextLength: Int
    /// As in the file. Not applied, as in mlx-lm: attention is always full.
    public var slidingWindow: Int?
    /// Whether the embedding is also the output head.
    public var tiesEmbeddings: Bool
    /// Quantization, as far as the file describes it.
    public var quantization: Quantization?
    /// The token that starts a text, if the file has one.
    public var beginToken: TokenID?
    /// The tokens that end an answer; see `StopTokens`.
    public var stopTokens: Set<TokenID>

    /// Reads `config.json`, and where they exist `generation_config.json` and
    /// `tokenizer_config.json`; or the metadata of a GGUF file, where `Checkpoint.open` takes one.
    /// - Throws: `CheckpointError` if a file is damaged, a setting is invalid, or the model is of a
    ///   kind that this engine does not support.
    public init(folder: String) throws(CheckpointError) {
        if let gguf = try GGUFFile.open(folder) {
            try self.init(gguf)
            return
        }
        try self.init(
            config: ConfigurationFile(folder: folder, name: "config.json"),
            generation: .optional(folder: folder, name: "generation_config.json"),
            tokenizer: .optional(folder: folder, name: "tokenizer_config.json")
        )
    }

    package init(
        config: ConfigurationFile,
        generation: ConfigurationFile?,
        tokenizer: ConfigurationFile?
    ) throws(CheckpointError) {
        architecture = try Architecture(config)
        hiddenSize = try config.integer("hidden_size", in: 1...65_536)
        intermediateSize = try config.integer(
            architecture.intermediateSizeKey,
            in: 1...262_144
        )
        layerCount = try config.integer("num_hidden_layers", in: 1...1024)
        headCount = try config.integer("num_attention_heads", in: 1...1024)
        keyValueHeadCount = try config.integer(
            "num_key_value_heads",
            in: 1...1024,
            default: headCount
        )
        headSize = try Self.headSize(config, hiddenSize, headCount)
        guard headCount.isMultiple(of: keyValueHeadCount) else {
            throw config.invalid("num_key_value_heads", "does not divide num_attention_heads")
        }
        vocabularyCount = try config.integer("vocab_size", in: 1...16_777_216)
        design = try LayerDesign(
            config,
            architecture,
            vocabularyCount: vocabularyCount,
            headSize: headSize
        )
        normEpsilon = Float(try config.double(architecture.epsilonKey, in: 0...1))
        let isTied = architecture.tiesEmbeddingsByDefault
        tiesEmbeddings =
            try config.bool("tie_word_embeddings", default: isTied) || architecture == .phi3small
        contextLength = try config.integer("max_position_embeddings", in: 1...16_777_216)
        slidingWindow = config.value("sliding_window")?.integer
        quantization = try Self.quantization(config)
        beginToken = config.value("bos_token_id")?.integer.flatMap(TokenID.init(exactly:))
        stopTokens = try StopTokens.union(
            config: config,
            generation: generation,
            tokenizer: tokenizer
        )

        let rope = try RopeSettings(
            config,
            architecture,
            headSize: headSize,
            contextLength: contextLength
        )
        rotaryDimensions = rope.rotaryDimensions
        ropeBase = rope.base
        ropeScaling = rope.scaling
        originalContextLength = rope.originalContextLength
    }

    /// The sizes of heads that the kernels compute with.
    package static let headSizes = 2...512

    private static func headSize(
        _ config: ConfigurationFile,
        _ hiddenSize: Int,
        _ headCount: Int
    ) throws(CheckpointError) -> Int {
        if config.value("head_dim") != nil {
            return try config.integer("head_dim", in: headSizes)
        }
        guard hiddenSize.isMultiple(of: headCount) else {
            throw config.invalid("num_attention_heads", "does not divide hidden_size")
        }
        let size = hiddenSize / headCount
        guard headSizes.contains(size) else {
            throw config.invalid("num_attention_heads", "gives heads of \(size) numbers")
        }
        return size
    }
}
