// The weights of a model by their names in the phi3 family.

import Checkpoints
import PhiKernels

/// The weights of a layer. H: hidden size; Q and K: width of all query heads and of all key heads;
/// I: width of the MLP.
struct LayerWeights: Sendable {
    /// [H]
    let inputNorm: [Float]
    /// [Q + 2K, H]: query heads, key heads, value heads
    let queryKeyValue: WeightMatrix
    /// [H, Q]
    let output: WeightMatrix
    /// [H]
    let postAttentionNorm: [Float]
    /// [2I, H]: gate, then up
    let gateUp: WeightMatrix
    /// [H, I]
    let down: WeightMatrix
}

/// The weights of a model. V: rows of the vocabulary.
struct PhiWeights: Sendable {
    /// [V, H]
    let embedding: WeightMatrix
    let layers: [LayerWeights]
    /// [H]
    let finalNorm: [Float]
    /// [V, H]; the embedding if they are tied.
    let head: WeightMatrix
    /// The matrices that are not used in place.
    let repacking: WeightRepacking

    /// Finds and validates all tensors of `configuration`.
    /// - Throws: `CheckpointError` if one is missing or does not match, or if there are other
    ///   tensors: then weights and configuration belong to different models.
    ///
    /// `exact` is for matrices that are repacked, see `WeightMatrix`.
    init(
        from checkpoint: Checkpoint,
        _ configuration: ModelConfiguration,
        exact: Bool
    ) throws(CheckpointError) {
        var reader = WeightReader(
            checkpoint: checkpoint,
            configuration: configuration,
            exact: exact
        )
        let hidden = configuration.hiddenSize
        let vocabulary = configuration.vocabularyCount
        embedding = try reader.matrix("model.embed_tokens", vocabulary, hidden)
        var layers: [LayerWeights] = []
        for index in 0..<configuration.layerCount {
            layers.append(try reader.layer("model.layers.\(index)"))
        }
        self.layers = layers
        finalNorm = try reader.vector("model.norm", hidden)
        head =
            configuration.tiesEmbeddings
            ? embedding : try reader.matrix("lm_head", vocabulary, hidden)
        try reader.refuseUnreadTensors()
        repacking = WeightRepacking(reader.repacked)
    }
}

/// Reads modules and records which ones.
private struct WeightReader {
    let checkpoint: Checkpoint
    let configuration: ModelConfiguration
    let sizes: Dimensions
    let exact: Bool
    private var modulesRead: Set<String> = []
    private(set) var repacked: [RepackedMatrix] = []

    init(checkpoint: Checkpoint, configuration: ModelConfiguration, exact: Bool) {
        self.checkpoint = checkpoint
        self.configuration = configuration
        self.exact = exact
        sizes = Dimensions(configuration)
    }

    mutating func layer(_ path: String) throws(CheckpointError) -> LayerWeights {
        let hidden = sizes.hidden
        let queries = sizes.queryWidth
        let queriesKeysValues = sizes.queryKeyValueWidth
        let middle = sizes.middle
        return LayerWeights(
            inputNorm: try vector("\(path).input_layernorm", hidden),
            queryKeyValue: try matrix("\(path).self_attn.qkv_proj", queriesKeysValues, hidden),
            output: try matrix("\(path).self_attn.o_proj", hidden, queries),
            postAttentionNorm: try vector("\(path).post_attention_layernorm", hidden),
            gateUp: try matrix("\(path).mlp.gate_up_proj", 2 * middle, hidden),
            down: try matrix("\(path).mlp.down_proj", hidden, middle)
        )
    }

    mutating func matrix(
        _ path: String,
        _ rows: Int,
        _ columns: Int
    ) throws(CheckpointError) -> WeightMatrix {
        modulesRead.insert(path)
        let matrix = try WeightMatrix(
            path,
            rows: rows,
            columns: columns,
            from: checkpoint,
            quantization: configuration.quantization,
            exact: exact
        )
        if let memory = matrix.repacked { repacked.append(memory) }
        return matrix
    }

    /// The weights of a norm as floats: they are small, and this avoids conversions in each pass.
    mutating func vector(_ path: String, _ count: Int) throws(CheckpointError) -> [Float] {
        modulesRead.insert(path)
        let tensor = try checkpoint.tensor("\(path).weight")
            .checked(types: ElementType.floats).checked(shape: [count])
        return tensor.floats()
    }

    /// Refuses tensors that no module has read: they would be ignored silently.
    func refuseUnreadTensors() throws(CheckpointError) {
        for name in checkpoint.tensors.keys.sorted() {
            let module = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
            let isKnown =
                modulesRead.contains(module) || name.hasSuffix("rotary_emb.inv_freq")
                || module == "lm_head" && configuration.tiesEmbeddings
                || checkpoint.gguf != nil && name.hasPrefix("rope_factors_")
            guard isKnown, !name.hasSuffix("_proj.bias") else {
                throw .unexpectedTensor(
                    path: try checkpoint.tensor(name).file.path,
                    tensor: name
                )
            }
        }
    }
}

extension Tensor {
    /// The elements as floats; the type must be one of `ElementType.floats`.
    func floats() -> [Float] {
        defer { extendLifetime(file) }
        let bytes = bytes
        return (0..<elementCount).map { index in
            switch elementType {
            case .float32:
                Float(bitPattern: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            case .float16:
                Float(
                    Float16(
                        bitPattern: bytes.loadUnaligned(
                            fromByteOffset: 2 * index,
                            as: UInt16.self
                        )
                    )
                )
            default:
                Float(
                    bitPattern: UInt32(
                        bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
                    ) << 16
                )
            }
        }
    }
}
