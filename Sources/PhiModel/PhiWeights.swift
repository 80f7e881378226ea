// The weights of a model, in the form in which passes use them.

import Checkpoints

/// The weights of a layer. H: hidden size; Q and K: width of all query heads and of all key heads;
/// I: width of the MLP.
struct LayerWeights: Sendable {
    /// [H]
    let inputNorm: NormWeights
    /// [Q + 2K, H]: see `HeadPlaces`
    let queryKeyValue: LinearLayer
    /// [H, Q]
    let output: LinearLayer
    let feedForward: FeedForward

    /// What a layer has besides attention.
    enum FeedForward: Sendable {
        /// An MLP of what attention has added to, with its norm [H].
        case sequential(NormWeights, MLPWeights)
        /// An MLP of what attention reads.
        case parallel(MLPWeights)
        /// Experts of what attention has added to, with their norm [H].
        case experts(NormWeights, ExpertWeights)
    }
}

/// The weights of an MLP, or of an expert.
struct MLPWeights: Sendable {
    /// [2I, H], or [I, H] without gates
    let expand: LinearLayer
    /// [H, I]
    let contract: LinearLayer
}

/// The weights of a layer's experts.
struct ExpertWeights: Sendable {
    /// [E, H]
    let router: LinearLayer
    /// E of them
    let experts: [MLPWeights]
}

/// The weights of a model. V: rows of the vocabulary.
struct PhiWeights: Sendable {
    /// [V, H]
    let embedding: WeightMatrix
    let layers: [LayerWeights]
    /// [H]
    let finalNorm: NormWeights
    /// [V, H]; of the embedding if they are tied.
    let head: LinearLayer
    /// The matrices that are not used in place.
    let repacking: WeightRepacking
    /// Where adapters can change it.
    let places: AdapterPlaces

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
        finalNorm = try reader.finalNorm()
        head = try reader.head(embedding)
        try reader.refuseUnreadTensors()
        repacking = WeightRepacking(reader.repacked)
        places = reader.adapterPlaces
    }
}
