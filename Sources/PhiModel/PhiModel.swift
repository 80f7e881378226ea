// Phi models; `Architecture` lists their kinds. The model itself is immutable: weights in mapped files
// and values derived from the configuration. Mutable state is in a `PhiSession` and in the
// `KeyValueCache` of each sequence.

public import Checkpoints
import PhiKernels

/// A loaded model; shared freely among threads.
public final class PhiModel: Sendable {
    /// The configuration of the folder.
    public let configuration: ModelConfiguration

    let sizes: Dimensions
    let weights: PhiWeights
    let frequencies: RopeFrequencies
    let kernels: Kernels

    /// Opens the model in `folder`, in MLX's or Hugging Face's layout, float or quantized, or the
    /// GGUF file `folder`.
    ///
    /// Takes milliseconds for any size: weights are read from their files on first use.
    /// - Throws: `CheckpointError`, which says what is wrong with which file; `.unknownKernels`
    ///   if `STOA_KERNELS` is invalid.
    public convenience init(folder: String) throws(CheckpointError) {
        try self.init(folder: folder, kernels: Kernels.selected())
    }

    /// The same with other kernels.
    package convenience init(folder: String, kernels: Kernels) throws(CheckpointError) {
        // The configuration first: its errors best describe unsupported models.
        let configuration = try ModelConfiguration(folder: folder)
        try self.init(configuration, Checkpoint.open(folder), kernels)
    }

    /// Creates the model of an open checkpoint, whose mappings it uses.
    /// - Throws: `CheckpointError`, which says what is wrong with which file; `.unknownKernels`
    ///   if `STOA_KERNELS` is invalid.
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
        weights = try PhiWeights(from: checkpoint, configuration, exact: !kernels.rounds)
        frequencies = RopeFrequencies(configuration)
        self.kernels = kernels
        self.configuration = configuration
    }

    /// The weights of `other` with other kernels.
    private init(_ other: PhiModel, kernels: Kernels) {
        configuration = other.configuration
        sizes = other.sizes
        weights = other.weights
        frequencies = other.frequencies
        self.kernels = kernels
    }

    /// The same model with keys and values of this precision, if its kernels round. It shares the
    /// weights.
    ///
    /// The precision that `STOA_KERNELS` selects is never increased: eight bits stay eight.
    public func keeping(_ bits: KeyValueBits) -> PhiModel {
        switch bits {
        case .sixteen: self
        case .eight: PhiModel(self, kernels: kernels.keepingEightBits)
        }
    }

    /// The maximum context length of the model, in tokens.
    public var contextLength: Int { configuration.contextLength }

    /// The number of logits of a position. The tokenizer may have fewer tokens.
    public var vocabularyCount: Int { configuration.vocabularyCount }

    /// The kernels in use, for logs and receipts: "avx2-int8", "avx2-int8-kv8", "scalar".
    public var kernelName: String { kernels.name }

    /// The kernels of this process; the fastest if `STOA_KERNELS` is invalid, in which case no
    /// model can be opened.
    public static var selectedKernelName: String {
        ((try? Kernels.selected()) ?? Kernels.fastest).name
    }

    /// The size of a position in a KV cache in bytes.
    public var cacheByteCountPerPosition: Int { cacheShape.byteCountPerPosition }

    /// Creates a pool for the KV caches of several sequences.
    /// - Parameter pageCount: the maximum number of pages of `KeyValuePool.pagePositions`
    ///   positions.
    /// - Returns: a pool for use by one thread at a time.
    /// - Throws: `ForwardError.outOfMemory`.
    package func makePool(pageCount: Int) throws(ForwardError) -> KeyValuePool {
        try KeyValuePool(shape: cacheShape, pageCount: pageCount)
    }

    /// Creates an empty cache for a sequence of up to `capacity` tokens, with its own memory.
    /// - Parameters:
    ///   - capacity: the maximum number of positions.
    ///   - ropeFactors: the result of `ropeFactors(forLength:rule:)` for the run; by default that
    ///     for `capacity`.
    /// - Returns: a cache with this factor set.
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

    /// Creates a session with threads and memory for forward passes.
    /// - Parameters:
    ///   - threadCount: the number of threads, including the caller's.
    ///   - tokenCountMax: the maximum number of tokens in a pass; memory is reserved for them.
    /// - Returns: a session for use by one thread at a time.
    public func makeSession(threadCount: Int, tokenCountMax: Int = 512) -> PhiSession {
        weights.repacking.run(threadCount: threadCount)
        return PhiSession(model: self, threadCount: threadCount, tokenCountMax: tokenCountMax)
    }

    /// The size of a session's buffers for this number of tokens in a pass, in bytes; scores and
    /// logits are not among them.
    package func passByteCount(tokenCountMax: Int) -> Int {
        // Reserved, and given back before anything is written.
        Scratch(sizes, rowCount: tokenCountMax).byteCount
    }

    /// The layout of pages, for storing them.
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
