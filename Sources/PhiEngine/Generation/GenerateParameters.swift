// How an answer is generated: MLX Swift LM's names and defaults.

import Inference

/// How an answer is generated.
///
/// MLX's options for its key-value cache (`maxKVSize`, `kvBits` and theirs) are not here: the
/// engine's cache keeps every position, in numbers of 16 bits, or of 32 where `STOA_KERNELS` asks
/// for arithmetic that does not round, or of 8 where it says so.
public struct GenerateParameters: Sendable, Hashable {
    /// Tokens of the prompt that are read at once; the answer does not depend on it.
    public var prefillStepSize: Int
    /// The answer ends after as many tokens. Without a limit it ends where the model's context does:
    /// the original one of a model with LongRoPE, if the prompt takes no more than half of it.
    public var maxTokens: Int?
    /// 0 takes the likeliest token always.
    public var temperature: Float
    /// Keeps the likeliest tokens that together have this probability; outside 0 to 1, all.
    public var topP: Float
    /// Keeps this many of the likeliest tokens; 0 keeps all.
    public var topK: Int
    /// Drops tokens less likely than this share of the likeliest one; 0 drops none.
    public var minP: Float
    /// Makes tokens that were there lately less likely; nil changes nothing.
    public var repetitionPenalty: Float?
    /// How many tokens back the penalty looks.
    public var repetitionContextSize: Int
    /// The same seed gives the same answer to the same prompt; nil draws one by chance. MLX has one
    /// for the whole process instead.
    public var seed: UInt64?

    /// Parameters; what is not given has MLX's default.
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

    /// The tokens of one pass, which memory is reserved for.
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

    /// The engine's own form.
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
