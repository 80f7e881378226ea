// A model of the phi3 family: Phi-3-mini, Phi-3.5-mini, Phi-4-mini, phi-4 and their like. The model
// itself is constant: weights in mapped files and what follows from the configuration. What changes
// while computing belongs to a `PhiSession` and to the `KeyValueCache` of each sequence.

public import Checkpoints
import PhiKernels

/// A loaded model; shared freely among threads.
public final class PhiModel: Sendable {
    /// What the folder's files say.
    public let configuration: ModelConfiguration

    let sizes: Dimensions
    let weights: PhiWeights
    let frequencies: RopeFrequencies
    let kernels: Kernels

    /// Opens the model in `folder`, in MLX's or Hugging Face's layout, float or quantized.
    ///
    /// Takes milliseconds whatever the size: weights stay in their files until they are used.
    /// - Throws: `CheckpointError`, which says what is wrong with which file; `.unknownKernels`
    ///   where `STOA_KERNELS` names none.
    public convenience init(folder: String) throws(CheckpointError) {
        try self.init(folder: folder, kernels: Kernels.selected())
    }

    /// The same with arithmetic of the caller's choice.
    package convenience init(folder: String, kernels: Kernels) throws(CheckpointError) {
        // The configuration first: it says best of what kind a model is that cannot be used.
        let configuration = try ModelConfiguration(folder: folder)
        try self.init(configuration, Checkpoint.open(folder), kernels)
    }

    /// The model of an open checkpoint, which uses the checkpoint's own mappings.
    /// - Throws: `CheckpointError`, which says what is wrong with which file; `.unknownKernels`
    ///   where `STOA_KERNELS` names none.
    public convenience init(_ checkpoint: Checkpoint) throws(CheckpointError) {
        try self.init(
            ModelConfiguration(folder: checkpoint.folder),
            checkpoint,
            Kernels.selected()
        )
    }

    private init(
        _ configuration: ModelConfiguration,
        _ checkpoint: Checkpoint,
        _ kernels: Kernels
    ) throws(CheckpointError) {
        sizes = Dimensions(configuration)
        weights = try PhiWeights(from: checkpoint, configuration)
        frequencies = RopeFrequencies(configuration)
        self.kernels = kernels
        self.configuration = configuration
    }

    /// The weights of `other` with other arithmetic.
    private init(_ other: PhiModel, kernels: Kernels) {
        configuration = other.configuration
        sizes = other.sizes
        weights = other.weights
        frequencies = other.frequencies
        self.kernels = kernels
    }

    /// The same model with keys and values of so many bits, where its arithmetic rounds. It shares
    /// the weights.
    ///
    /// What `STOA_KERNELS` names stays: eight bits do not become sixteen.
    public func keeping(_ bits: KeyValueBits) -> PhiModel {
        switch bits {
        case .sixteen: self
        case .eight: PhiModel(self, kernels: kernels.keepingEightBits)
        }
    }

    /// The longest sequence that the model is made for, in tokens.
    public var contextLength: Int { configuration.contextLength }

    /// The number of logits of a position. The tokenizer may have fewer tokens.
    public var vocabularyCount: Int { configuration.vocabularyCount }

    /// The arithmetic in use, for logs and receipts: "avx2-int8", "avx2-int8-kv8", "scalar".
    public var kernelName: String { kernels.name }

    /// The arithmetic that models of this process use; the fastest, too, where `STOA_KERNELS` names
    /// none, so that no model can be opened.
    public static var selectedKernelName: String {
        ((try? Kernels.selected()) ?? Kernels.fastest).name
    }

    /// What a position of a sequence takes of a cache's memory.
    public var cacheByteCountPerPosition: Int { cacheShape.byteCountPerPosition }

    /// Memory for the keys and values of several sequences.
    /// - Parameter pageCount: the most pages of `KeyValuePool.pagePositions` positions.
    /// - Returns: a pool, to be used by one thread at a time.
    /// - Throws: `ForwardError.outOfMemory`.
    package func makePool(pageCount: Int) throws(ForwardError) -> KeyValuePool {
        try KeyValuePool(shape: cacheShape, pageCount: pageCount)
    }

    /// An empty cache for a sequence of up to `capacity` tokens, with memory of its own.
    /// - Parameters:
    ///   - capacity: the number of positions that fit.
    ///   - ropeFactors: what `ropeFactors(forLength:rule:)` gives for the run; without it, what
    ///     that gives for `capacity`.
    /// - Returns: a cache that keeps this factor set.
    /// - Throws: `ForwardError.outOfMemory`.
    public func makeCache(
        capacity: Int,
        ropeFactors: RopeFactors? = nil
    ) throws(ForwardError) -> KeyValueCache {
        precondition(capacity > 0, "a cache holds at least one position")
        let pool = try makePool(pageCount: KeyValuePool.pageCount(positions: capacity))
        return makeCache(
            capacity: capacity,
            ropeFactors: ropeFactors ?? self.ropeFactors(forLength: capacity),
            pool: pool
        )
    }

    /// The same with memory of `pool`.
    package func makeCache(
        capacity: Int,
        ropeFactors: RopeFactors,
        pool: KeyValuePool
    ) -> KeyValueCache {
        precondition(frequencies.has(ropeFactors), "the model has no such factor set")
        precondition(pool.shape == cacheShape, "a pool of another model")
        return KeyValueCache(pool: pool, capacity: capacity, ropeFactors: ropeFactors)
    }

    /// Threads and memory for passes through this model.
    /// - Parameters:
    ///   - threadCount: the threads that share a pass, the caller's included.
    ///   - tokenCountMax: the most tokens of one pass; memory is reserved for them.
    /// - Returns: a session, to be used by one thread at a time.
    public func makeSession(threadCount: Int, tokenCountMax: Int = 512) -> PhiSession {
        PhiSession(model: self, threadCount: threadCount, tokenCountMax: tokenCountMax)
    }

    /// How pages look to those who keep them elsewhere.
    package var pageLayout: PageLayout { PageLayout(cacheShape) }

    var cacheShape: KeyValuePool.Shape {
        KeyValuePool.Shape(
            layerCount: sizes.layerCount,
            headCount: sizes.keyHeadCount,
            headSize: sizes.headSize,
            type: kernels.keyValueType
        )
    }
}
