// Numbers computed from the configuration.

extension ModelConfiguration {
    /// The numbers that a KV cache holds for each position: keys and values of all layers.
    public var cachedNumberCount: Int { 2 * layerCount * keyValueHeadCount * headSize }

    /// The number of weights, counted before quantization, norms and biases included; a tied
    /// embedding once.
    public var parameterCount: Int {
        let norm = design.norm == .layer ? 2 * hiddenSize : hiddenSize
        let normCount = design.block == .parallel ? 1 : 2
        let layer = attentionCount + feedForwardCount + normCount * norm
        let embeddings = vocabularyCount * hiddenSize * (tiesEmbeddings ? 1 : 2)
        let headBias = hasBiases && !tiesEmbeddings ? vocabularyCount : 0
        return embeddings + headBias + layerCount * layer + norm
    }

    /// The weights of all layers that compute a token: of experts, only those that are chosen.
    public var layerProductCount: Int {
        let queries = headCount * headSize
        let keys = keyValueHeadCount * headSize
        let attention = hiddenSize * (2 * queries + 2 * keys)
        let router = hiddenSize * (design.experts?.count ?? 0)
        let feedForward = expertProductCount * (design.experts?.chosenCount ?? 1)
        return layerCount * (attention + router + feedForward)
    }

    /// Whether linear layers have biases; of mixtures of experts, only those of attention and the
    /// head.
    private var hasBiases: Bool { architecture != .phi3 && architecture != .phi4mm }

    private var attentionCount: Int {
        let queries = headCount * headSize
        let keys = keyValueHeadCount * headSize
        let biases = hasBiases ? queries + 2 * keys + hiddenSize : 0
        return hiddenSize * (2 * queries + 2 * keys) + biases
    }

    /// The weights of an MLP's products.
    private var expertProductCount: Int {
        (design.activation == .gelu ? 2 : 3) * hiddenSize * intermediateSize
    }

    private var feedForwardCount: Int {
        if let experts = design.experts {
            return experts.count * (expertProductCount + hiddenSize)
        }
        let width = design.activation == .gelu ? intermediateSize : 2 * intermediateSize
        return expertProductCount + (hasBiases ? width + hiddenSize : 0)
    }
}
