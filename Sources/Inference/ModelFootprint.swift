// What a model takes of the machine's memory while it is loaded.

import Checkpoints
public import PhiModel

/// The memory of a loaded model, computed from the headers of its files; weights are not read.
public struct ModelFootprint: Sendable, Hashable {
    /// The weights, in bytes: pages of the mapped files, and what is repacked.
    public var weightBytes: Int
    /// The buffers of a pass and the tokenizer, in bytes.
    public var bufferBytes: Int
    /// The least memory for keys and values, in bytes: one answer of full length.
    public var cacheBytesMin: Int
    /// Maximum tokens of prompt and answer together.
    public var contextLength: Int

    /// Bytes of a tokenizer per token: between 140 and 200 were measured for Phi's tokenizers.
    private static let tokenizerBytesPerToken = 200

    /// The least memory with which the model answers, in bytes.
    public var byteCountMin: Int { weightBytes + bufferBytes + cacheBytesMin }

    /// Creates a footprint.
    public init(weightBytes: Int, bufferBytes: Int, cacheBytesMin: Int, contextLength: Int) {
        self.weightBytes = weightBytes
        self.bufferBytes = bufferBytes
        self.cacheBytesMin = cacheBytesMin
        self.contextLength = contextLength
    }

    /// Reads the headers of a model's files.
    /// - Parameters:
    ///   - folder: the model's folder, or GGUF file.
    ///   - configuration: the settings of its engine.
    ///   - bits: the precision of its keys and values.
    /// - Throws: `.modelMissing`, `.modelDamaged`, `.modelUnsupported` or `.unknownKernels`.
    public init(
        folder: String,
        configuration: EngineConfiguration = .standard,
        keeping bits: KeyValueBits = .sixteen
    ) throws(EngineError) {
        do throws(CheckpointError) {
            let checkpoint = try Checkpoint.open(folder)
            self.init(try PhiModel(checkpoint).keeping(bits), checkpoint, configuration)
        } catch {
            throw EngineError(error, loading: folder)
        }
    }

    private init(
        _ model: PhiModel,
        _ checkpoint: Checkpoint,
        _ configuration: EngineConfiguration
    ) {
        let tokenCount = configuration.prefillChunk + configuration.slots
        let logits = configuration.slots * model.vocabularyCount * MemoryLayout<Float>.stride
        contextLength = min(model.contextLength, configuration.contextLimit)
        weightBytes = model.weightByteCount(of: checkpoint)
        bufferBytes =
            model.passByteCount(tokenCountMax: tokenCount) + logits
            + Self.tokenizerBytesPerToken * model.vocabularyCount
        let pages = SequenceMemory.pageCount(tokensMax: contextLength) + PageWriter.borrowedPagesMax
        cacheBytesMin = pages * KeyValuePool.pagePositions * model.cacheByteCountPerPosition
    }
}
