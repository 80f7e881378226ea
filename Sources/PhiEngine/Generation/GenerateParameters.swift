// Generation parameters, with the names and defaults of MLX Swift LM.

import Inference

/// Generation parameters.
///
/// MLX's options for its KV cache (`maxKVSize`, `kvBits` and related) do not exist here: the engine's
/// cache keeps every position, in 16-bit numbers, or in 32-bit or 8-bit ones depending on `STOA_KERNELS`.
public struct GenerateParameters: Sendable, Hashable {
    /// Prompt tokens per forward pass; does not change the answer.
    public var prefillStepSize: Int
    /// Maximum tokens of the answer. Without a limit, the answer may fill the model's context: for
    /// a model with LongRoPE the original one, if the prompt takes at most half of it.
    public var maxTokens: Int?
    /// Sampling temperature; 0 always takes the most likely token.
    public var temperature: Float
    /// Keeps the most likely tokens up to this cumulative probability; values outside 0 to 1 keep
    /// all.
    public var topP: Float
    /// Keeps this many of the most likely tokens; 0 keeps all.
    public var topK: Int
    /// Drops tokens less likely than this fraction of the most likely one; 0 drops none.
    public var minP: Float
    /// Makes recent tokens less likely; nil disables it.
    public var repetitionPenalty: Float?
    /// The number of recent tokens that the penalty applies to.
    public var repetitionContextSize: Int
    /// The same seed gives the same answer to the same prompt; nil chooses one at random. MLX has
    /// one seed per process instead.
    public var seed: UInt64?

    /// Parameters with MLX's defaults for those not given.
    public init(
        maxTokens: Int? = nil,
        temperature: Float = 0.6,
        topP: Float = 1.0,
        topK: Int = 0,
        minP: Float = 0,
        repetitionPenalty: Float? = nil,
        repetitionContextSize: Int = 20,
        prefillStepSize: Int = 512,
        seed: UInt64? = nil
    ) {
        self.prefillStepSize = prefillStepSize
        self.maxTokens = maxTokens
        self.temperature = temperature
        self.topP = topP
        self.topK = topK
        self.minP = minP
        self.repetitionPenalty = repetitionPenalty
        self.repetitionContextSize = repetitionContextSize
        self.seed = seed
    }

    /// The tokens of one forward pass, for which memory is reserved.
    /// - Throws: `.invalidParameters`.
    func checkedPrefillStepSize() throws(PhiEngineError) -> Int {
        let allowed = EngineConfiguration.prefillChunkRange
        guard allowed.contains(prefillStepSize) else {
            throw .invalidParameters(
                "prefillStepSize is \(prefillStepSize), but must be from \(allowed.lowerBound) to "
                    + "\(allowed.upperBound)"
            )
        }
        return prefillStepSize
    }

    /// The engine's sampling parameters.
    /// - Throws: `.invalidParameters`.
    func sampling() throws(PhiEngineError) -> SamplingParameters {
        let penalty = repetitionContextSize > 0 ? repetitionPenalty ?? 1 : 1
        do throws(SamplingError) {
            return try SamplingParameters(
                temperature: Double(temperature),
                topP: topP > 0 && topP < 1 ? Double(topP) : 1,
                topK: max(topK, 0),
                minP: Double(max(minP, 0)),
                repetitionPenalty: penalty == 0 ? 1 : Double(penalty),
                repetitionWindow: max(repetitionContextSize, 0),
                seed: seed
            )
        } catch {
            throw .invalidParameters(error.description)
        }
    }
}
