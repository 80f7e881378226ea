// The configuration of a GGUF file, from its metadata. What a key is missing for is as in llama.cpp.

extension ModelConfiguration {
    /// Reads the metadata of `gguf`.
    /// - Throws: `CheckpointError` if a value is missing or invalid, or the model is of a kind that
    ///   this engine does not support.
    init(_ gguf: GGUFFile) throws(CheckpointError) {
        let metadata = gguf.metadata
        // `GGUFFile` refuses others.
        architecture = .phi3
        design = LayerDesign()
        hiddenSize = try metadata.integer("phi3.embedding_length", in: 1...65_536)
        intermediateSize = try metadata.integer("phi3.feed_forward_length", in: 1...262_144)
        layerCount = try metadata.integer("phi3.block_count", in: 1...1024)
        headCount = try metadata.integer("phi3.attention.head_count", in: 1...1024)
        keyValueHeadCount = try metadata.integer(
            "phi3.attention.head_count_kv",
            in: 1...1024,
            default: headCount
        )
        headSize = try Self.headSize(metadata, hiddenSize, headCount)
        guard headCount.isMultiple(of: keyValueHeadCount) else {
            throw metadata.invalid(
                "phi3.attention.head_count_kv",
                "does not divide phi3.attention.head_count"
            )
        }
        guard let tokenCount = try metadata.elementCount("tokenizer.ggml.tokens") else {
            throw .missingSetting(path: metadata.path, key: "tokenizer.ggml.tokens")
        }
        guard (1...16_777_216).contains(tokenCount) else {
            throw metadata.invalid("tokenizer.ggml.tokens", "has \(tokenCount) elements")
        }
        vocabularyCount = tokenCount
        normEpsilon = Float(
            try metadata.double("phi3.attention.layer_norm_rms_epsilon", in: 0...1)
        )
        contextLength = try metadata.integer("phi3.context_length", in: 1...16_777_216)
        slidingWindow = try metadata.integer(
            "phi3.attention.sliding_window",
            in: 0 ... .max,
            default: 0
        )
        if slidingWindow == 0 { slidingWindow = nil }
        tiesEmbeddings = !gguf.header.tensors.contains { $0.name == "output.weight" }
        quantization = nil
        beginToken = try Self.token("tokenizer.ggml.bos_token_id", metadata)
        stopTokens = try StopTokens.union(metadata)

        let rope = try RopeSettings(gguf, headSize: headSize, contextLength: contextLength)
        rotaryDimensions = rope.rotaryDimensions
        ropeBase = rope.base
        ropeScaling = rope.scaling
        originalContextLength = rope.originalContextLength
    }

    private static func headSize(
        _ metadata: GGUFMetadata,
        _ hiddenSize: Int,
        _ headCount: Int
    ) throws(CheckpointError) -> Int {
        let fraction = hiddenSize.isMultiple(of: headCount) ? hiddenSize / headCount : 0
        let keys = try metadata.integer(
            "phi3.attention.key_length",
            in: headSizes,
            default: fraction
        )
        let values = try metadata.integer(
            "phi3.attention.value_length",
            in: headSizes,
            default: keys
        )
        guard keys == values else {
            throw metadata.invalid(
                "phi3.attention.value_length",
                "is not phi3.attention.key_length"
            )
        }
        guard keys > 0 else {
            throw metadata.invalid(
                "phi3.attention.head_count",
                "does not divide phi3.embedding_length"
            )
        }
        guard headSizes.contains(keys) else {
            throw metadata.invalid(
                "phi3.attention.head_count",
                "gives heads of \(keys) numbers"
            )
        }
        return keys
    }

    /// The token whose id is the value of `key`.
    fileprivate static func token(
        _ key: String,
        _ metadata: GGUFMetadata
    ) throws(CheckpointError) -> TokenID? {
        // Older files have the largest number for “none”.
        let id = try metadata.integer(key, in: -1...Int(UInt32.max), default: -1)
        return id < 0 ? nil : TokenID(exactly: id)
    }
}

extension StopTokens {
    /// The stop tokens of a GGUF file: those that end a text, a turn or a message by its metadata,
    /// and its special tokens that end a turn in this family.
    fileprivate static func union(_ metadata: GGUFMetadata) throws(CheckpointError) -> Set<TokenID>
    {
        var tokens: Set<TokenID> = []
        for name in ["eos", "eot", "eom"] {
            let key = "tokenizer.ggml.\(name)_token_id"
            if let token = try ModelConfiguration.token(key, metadata) { tokens.insert(token) }
        }
        guard let texts = try metadata.strings("tokenizer.ggml.tokens") else { return tokens }
        let ends = turnEnds.map { Array($0.utf8) }
        defer { extendLifetime(metadata.file) }
        for (id, range) in texts.enumerated()
        where ends.contains(where: {
            $0.count == range.count && $0.elementsEqual(metadata.file.bytes[range])
        }) {
            tokens.insert(TokenID(id))
        }
        return tokens
    }
}
