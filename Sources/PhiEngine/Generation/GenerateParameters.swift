// Generation parameters, with the names and defaults of MLX Swift LM.

import Inference
import PhiModel

/// Generation parameters.
public struct GenerateParameters: Sendable, Hashable {
    /// Prompt tokens per forward pass; does not change the answer.
    public var prefillStepSize: Int
    /// Maximum tokens of the answer. Without a limit, the answer may fill the model's context: for
    /// a model with LongRoPE the original one, if the prompt takes at most half of it.
    public var maxTokens: Int?
    /// Maximum positions of the KV cache, and so of prompt and answer together: a longer prompt is
    /// refused, and the answer ends there. MLX forgets the oldest positions instead, which the model was
    /// not trained for. Without a limit it is the model's context.
    public var maxKVSize: Int?
    /// Bits of the numbers in the KV cache: 8 takes a little more than half of the memory; nil and 16
    /// keep 16-bit numbers. With exact kernels (`STOA_KERNELS`) they have 32 bits in any case.
    public var kvBits: Int?
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
    /// Subtracted from the logits of tokens that are in the answer; nil and 0 change nothing.
    public var presencePenalty: Float?
    /// Subtracted from the logits of tokens, once for each time that they are in the answer; nil and 0
    /// change nothing.
    public var frequencyPenalty: Float?
    /// The same seed gives the same answer to the same prompt; nil chooses one at random.
    public var seed: UInt64?

    /// Parameters with MLX's defaults for those not given.
    public init(
        maxTokens: Int? = nil,
        maxKVSize: Int? = nil,
        kvBits: Int? = nil,
        temperature: Float = 0.6,
        topP: Float = 1.0,
        topK: Int = 0,
        minP: Float = 0,
        repetitionPenalty: Float? = nil,
        repetitionContextSize: Int = 20,
        presencePenalty: Float? = nil,
        frequencyPenalty: Float? = nil,
        prefillStepSize: Int = 512,
        seed: UInt64? = nil
    ) {
        self.prefillStepSize = prefillStepSize
        self.maxTokens = maxTokens
        self.maxKVSize = maxKVSize
        self.kvBits = kvBits
        self.temperature = temperature
        self.topP = topP
        self.topK = topK
        self.minP = minP
        self.repetitionPenalty = repetitionPenalty
        self.repetitionContextSize = repetitionContextSize
        self.presencePenalty = presencePenalty
        self.frequencyPenalty = frequencyPenalty
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

    /// The precision of the KV cache.
    /// - Throws: `.invalidParameters`.
    func checkedKeyValueBits() throws(PhiEngineError) -> KeyValueBits {
        switch kvBits {
        case nil, 16: return .sixteen
        case 8: return .eight
        case let bits?:
            throw .invalidParameters("kvBits is \(bits), but must be 8 or 16, or nil for 16")
        }
    }

    /// The engine's sampling parameters. Without a seed, one of `MLXRandom` is used if it has one.
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
                presencePenalty: Double(presencePenalty ?? 0),
                frequencyPenalty: Double(frequencyPenalty ?? 0),
                seed: seed ?? RandomSeeds.shared.next()
            )
        } catch {
            throw .invalidParameters(error.description)
        }
    }
}
