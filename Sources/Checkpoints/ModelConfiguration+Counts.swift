// Numbers computed from the configuration.

extension ModelConfiguration {
    /// The numbers that a KV cache holds for each position: keys and values of all layers.
    public var cachedNumberCount: Int { 2 * layerCount * keyValueHeadCount * headSize }

    /// The number of weights, counted before quantization, norms included; a tied embedding once.
    public var parameterCount: Int {
        let queries = headCount * headSize
        let keys = keyValueHeadCount * headSize
        let attention = hiddenSize * (queries + 2 * keys) + queries * hiddenSize
        let feedForward = 3 * hiddenSize * intermediateSize
        let layer = attention + feedForward + 2 * hiddenSize
        let embeddings = vocabularyCount * hiddenSize * (tiesEmbeddings ? 1 : 2)
        return embeddings + layerCount * layer + hiddenSize
    }
}
