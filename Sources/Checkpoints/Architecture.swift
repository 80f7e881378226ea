// The architectures that can be computed, and how their layers differ.

/// An architecture, by its `model_type` in config.json.
public enum Architecture: String, Sendable, Hashable, CaseIterable {
    /// Phi-3, Phi-3.5 and Phi-4 except those below, and Phi-4's reasoning models.
    case phi3
    /// Phi-1, Phi-1.5 and Phi-2.
    case phi
    /// Phi-3.5-MoE, Phi-mini-MoE and Phi-tiny-MoE: mixtures of experts.
    case phimoe
    /// Phi-3-small.
    case phi3small
    /// The text model of Phi-4-multimodal, whose layers are those of `phi3`.
    case phi4mm
}

/// What distinguishes the layers of one architecture from those of the others; as initialized,
/// those of `phi3`.
public struct LayerDesign: Sendable, Equatable {
    /// How a row of activations is normalized.
    public enum Norm: Sendable, Equatable {
        /// RMSNorm.
        case rootMeanSquare
        /// LayerNorm, with a bias.
        case layer
    }

    /// What the MLP of a layer reads.
    public enum Block: Sendable, Equatable {
        /// The residual stream after attention: x += attention(norm(x)); x += mlp(norm(x)).
        case sequential
        /// What attention reads, with the same norm: x += attention(norm(x)) + mlp(norm(x)).
        case parallel
    }

    /// What is between an MLP's products.
    public enum Activation: Sendable, Equatable {
        /// silu(gate) * up: the first product has all gates, then all ups.
        case gatedSilu
        /// GELU, approximated with tanh: the first product has no gates.
        case gelu
        /// a * sigmoid(1.702 a) * (b + 1): the first product has a and b in turn, and both are
        /// clipped at `limit`.
        case gegelu(limit: Float)
    }

    /// The order of the rows of a product that gives queries, keys and values.
    public enum HeadOrder: Sendable, Equatable {
        /// All query heads, all key heads, all value heads.
        case byKind
        /// For each key head: its query heads, itself, its value head.
        case byKeyHead
    }

    /// The norm.
    public var norm = Norm.rootMeanSquare
    /// What the MLP reads.
    public var block = Block.sequential
    /// The activation.
    public var activation = Activation.gatedSilu
    /// The order of queries, keys and values.
    public var headOrder = HeadOrder.byKind
    /// The experts of each layer; nil if each has one MLP.
    public var experts: ExpertChoice?
    /// Block-sparse attention; nil if each position sees all earlier ones.
    public var sparsity: BlockSparsity?
    /// Multiplies dot products of queries and keys; nil for 1 / sqrt(head size).
    public var attentionScale: Double?
    /// Multiplies the embedding of a token.
    public var embeddingScale: Double = 1
    /// Multiplies logits.
    public var logitScale: Double = 1
    /// Rows of the vocabulary that are never answered: their logits are minus infinity.
    public var unusedTokens: [TokenID] = []

    /// The design of `phi3`.
    public init() {}
}

/// How SparseMixer chooses among a layer's experts, as in mlx-lm and in transformers' inference.
public struct ExpertChoice: Sendable, Equatable {
    /// The number of experts in a layer.
    public var count: Int
    /// The number of them that compute a token.
    public var chosenCount: Int
    /// An expert's weight is its share among those whose logits are within twice this share of
    /// the best one's.
    public var jitter: Double

    /// Creates a choice, which is not validated.
    public init(count: Int, chosenCount: Int, jitter: Double) {
        self.count = count
        self.chosenCount = chosenCount
        self.jitter = jitter
    }
}

/// Block-sparse attention: in every second layer, from the first on, a position sees its own
/// block, those just before it, and of earlier ones each `stride`-th: block b where b + head + 1
/// is a multiple of `stride`.
public struct BlockSparsity: Sendable, Equatable {
    /// Positions of a block.
    public var blockPositions: Int
    /// The number of blocks, the position's own included, that are seen completely.
    public var localBlocks: Int
    /// The distance between earlier blocks that a head sees.
    public var stride: Int

    /// Creates a pattern, which is not validated.
    public init(blockPositions: Int, localBlocks: Int, stride: Int) {
        self.blockPositions = blockPositions
        self.localBlocks = localBlocks
        self.stride = stride
    }
}
