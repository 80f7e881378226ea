// The rotary embedding of a GGUF file: LongRoPE's factors are tensors, everything else is metadata.

extension RopeSettings {
    init(
        _ gguf: GGUFFile,
        headSize: Int,
        contextLength: Int
    ) throws(CheckpointError) {
        let metadata = gguf.metadata
        base = try metadata.double("phi3.rope.freq_base", in: 1...1e12, default: 10_000)
        rotaryDimensions = try metadata.integer(
            "phi3.rope.dimension_count",
            in: 2...headSize,
            default: headSize
        )
        guard rotaryDimensions.isMultiple(of: 2) else {
            throw metadata.invalid("phi3.rope.dimension_count", "is odd")
        }
        try Self.refuseOtherScaling(metadata)
        // As llama.cpp, which multiplies by 1 without this key.
        let key = "phi3.rope.scaling.attn_factor"
        let magnitude = try metadata.double(key, in: 0.01...100, default: 1)

        let pairs = rotaryDimensions / 2
        let short = try Self.factors(GGUFTensorNames.shortFactors, gguf, count: pairs)
        let long = try Self.factors(GGUFTensorNames.longFactors, gguf, count: pairs)
        guard let short, let long else {
            guard short == nil, long == nil else {
                throw .missingTensor(
                    name: short == nil
                        ? GGUFTensorNames.shortFactors : GGUFTensorNames.longFactors,
                    folder: gguf.file.path,
                    indexedFile: nil
                )
            }
            guard magnitude == 1 else {
                throw metadata.invalid(key, "is not 1, and there are no factors")
            }
            scaling = nil
            originalContextLength = contextLength
            return
        }
        originalContextLength = try metadata.integer(
            "phi3.rope.scaling.original_context_length",
            in: 2...16_777_216,
            default: contextLength
        )
        scaling = RopeScaling(
            shortFactors: short,
            longFactors: long,
            shortMagnitude: magnitude,
            longMagnitude: magnitude
        )
    }

    /// Linear scaling by 1 is none.
    private static func refuseOtherScaling(_ metadata: GGUFMetadata) throws(CheckpointError) {
        let type = try metadata.string("phi3.rope.scaling.type") ?? "none"
        let factor = try metadata.double(
            "phi3.rope.scaling.factor",
            in: 0...1e6,
            default: 1
        )
        switch type {
        case "none", "longrope": return
        case "linear" where factor == 0 || factor == 1: return
        default:
            throw .unsupported(
                path: metadata.path,
                what: "the rotary scaling",
                found: "\"\(type)\"",
                supported: "phi3.rope.scaling.type \"none\" or \"longrope\""
            )
        }
    }

    private static func factors(
        _ name: String,
        _ gguf: GGUFFile,
        count: Int
    ) throws(CheckpointError) -> [Double]? {
        guard let tensor = gguf.tensors[name] else { return nil }
        let checked = try tensor.checked(types: [.float32]).checked(shape: [count])
        defer { extendLifetime(gguf.file) }
        let bytes = checked.bytes
        let factors = (0..<count).map { index in
            Float(bitPattern: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        guard factors.allSatisfy({ $0 > 0 && $0.isFinite }) else {
            throw .malformedWeights(
                path: gguf.file.path,
                tensor: name,
                reason: "its factors are not positive"
            )
        }
        return factors.map(Double.init)
    }
}
