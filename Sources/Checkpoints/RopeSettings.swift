// Settings of the rotary embedding, in all formats of older and newer files.
//
// Old files: `rope_theta`, `partial_rotary_factor` at the top level, `rope_scaling` null or
// {"type": "longrope" or "su" (or "yarn", in some of Microsoft's first files), "short_factor",
// "long_factor"}. Files of transformers 5: everything in `rope_parameters`, with "rope_type".

import Glibc
import JSONText

/// The settings of rotary embeddings.
struct RopeSettings {
    let base: Double
    let rotaryDimensions: Int
    let originalContextLength: Int
    let scaling: RopeScaling?

    init(
        _ config: ConfigurationFile,
        _ architecture: Architecture,
        headSize: Int,
        contextLength: Int
    ) throws(CheckpointError) {
        let nested = try config.object("rope_scaling", "rope_parameters")
        let parameters = try config.object("rope_parameters", "rope_scaling")

        let baseKey = architecture.ropeBaseKey
        base = try Self.pick(baseKey, config, parameters)
            .double(baseKey, in: 1...1e12, default: architecture.defaultRopeBase)
        let fraction = try Self.pick("partial_rotary_factor", config, parameters)
            .double("partial_rotary_factor", in: 0...1, default: architecture.defaultRotaryFactor)
        rotaryDimensions = Int(Double(headSize) * fraction)
        guard rotaryDimensions >= 2, rotaryDimensions.isMultiple(of: 2) else {
            throw config.invalid(
                "partial_rotary_factor",
                "leaves \(rotaryDimensions) of \(headSize) to rotate"
            )
        }

        guard let nested, try Self.isLongRope(nested) else {
            scaling = nil
            originalContextLength = contextLength
            return
        }
        let key = "original_max_position_embeddings"
        let original = try Self.pick(key, config, nested)
            .integer(key, in: 2...16_777_216, default: 4096)
        originalContextLength = original
        scaling = RopeScaling(
            shortFactors: try Self.factors("short_factor", nested, count: rotaryDimensions / 2),
            longFactors: try Self.factors("long_factor", nested, count: rotaryDimensions / 2),
            shortMagnitude: try Self.magnitude("short_mscale", nested, contextLength, original),
            longMagnitude: try Self.magnitude("long_mscale", nested, contextLength, original)
        )
    }

    /// The object that has `key`: the top level takes precedence over the nested one.
    private static func pick(
        _ key: String,
        _ config: ConfigurationFile,
        _ nested: ConfigurationFile?
    ) -> ConfigurationFile {
        guard let nested, config.value(key) == nil else { return config }
        return nested
    }

    /// Whether `nested` describes LongRoPE (true) or nothing (false).
    private static func isLongRope(_ nested: ConfigurationFile) throws(CheckpointError) -> Bool {
        let type = try nested.string("rope_type", "type") ?? "default"
        switch type {
        case "default": return false
        case "longrope", "su": return true
        case "yarn" where nested.value("short_factor") != nil: return true
        default:
            throw .unsupported(
                path: nested.path,
                what: "the rotary scaling",
                found: "\"\(type)\"",
                supported: "rope_scaling null or of type \"longrope\""
            )
        }
    }

    /// The factor for rotated elements: transformers' `attention_factor`, otherwise MLX's `key` for
    /// one factor set, otherwise the authors' formula.
    private static func magnitude(
        _ key: String,
        _ nested: ConfigurationFile,
        _ contextLength: Int,
        _ originalContextLength: Int
    ) throws(CheckpointError) -> Double {
        let original = Double(originalContextLength)
        let ratio = max(Double(contextLength) / original, 1)
        let given = nested.value("attention_factor") == nil ? key : "attention_factor"
        return try nested.double(
            given,
            in: 0.01...100,
            default: (1 + log(ratio) / log(original)).squareRoot()
        )
    }

    private static func factors(
        _ key: String,
        _ nested: ConfigurationFile,
        count: Int
    ) throws(CheckpointError) -> [Double] {
        guard let value = nested.value(key) else {
            throw .missingSetting(path: nested.path, key: key)
        }
        let factors = (value.array ?? []).compactMap(\.double).filter { $0 > 0 }
        guard factors.count == count, value.array?.count == count else {
            throw nested.invalid(key, "is not a list of \(count) positive numbers")
        }
        return factors
    }
}
