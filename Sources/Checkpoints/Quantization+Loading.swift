// The `quantization` object of config.json, as mlx-lm's versions have written it: group_size and
// bits, later also a mode, and entries for single modules beside them.

import JSONText

extension ModelConfiguration {
    /// The quantization that `config` describes; nil for float models.
    static func quantization(
        _ config: ConfigurationFile
    ) throws(CheckpointError) -> Quantization? {
        // Newer conversions write the same object under both keys.
        guard let object = try config.object("quantization", "quantization_config") else {
            return nil
        }
        if let method = try object.string("quant_method") {
            throw unsupported(object, "method", method)
        }
        var overrides: [String: Quantization.Override] = [:]
        for (key, value) in object.root {
            guard let path = modulePath(key) else { continue }
            overrides[path] = try override(key, value, object)
        }
        return Quantization(standard: try scheme(object), overrides: overrides)
    }

    /// The path in the weights of the module that `key` names; nil if it is a setting.
    private static func modulePath(_ key: String) -> String? {
        if key == "lm_head" || key.hasPrefix("model.") { return key }
        // mlx-vlm's text models.
        let languageModel = MultimodalTensorNames.languageModel
        if key.hasPrefix(languageModel) { return String(key.dropFirst(languageModel.count)) }
        // Some conversions name the modules inside `model`.
        return key == "embed_tokens" || key.contains(".") ? "model.\(key)" : nil
    }

    /// The setting `value` of one module; nil if the weights decide.
    private static func override(
        _ key: String,
        _ value: JSONValue,
        _ object: ConfigurationFile
    ) throws(CheckpointError) -> Quantization.Override? {
        if let isQuantized = value.bool { return isQuantized ? nil : Quantization.Override.none }
        guard let settings = value.object else {
            throw object.invalid(key, "is neither true, false nor an object")
        }
        return .scheme(try scheme(ConfigurationFile(path: object.path, root: settings)))
    }

    private static func scheme(
        _ object: ConfigurationFile
    ) throws(CheckpointError) -> QuantizationScheme {
        let mode = try object.string("mode") ?? "affine"
        if try object.bool("global_scale", default: false) {
            throw unsupported(object, "mode", "\(mode) with global scales")
        }
        if mode == "affine" { return try affineScheme(object) }
        guard let scheme = QuantizationScheme.floats.first(where: { $0.mode == mode }) else {
            throw unsupported(object, "mode", mode)
        }
        // mlx-lm always writes both, and MLX allows no others.
        let bits = try object.integer("bits", in: 1...32, default: scheme.bits)
        let groupSize = try object.integer("group_size", in: 1...65_536, default: scheme.groupSize)
        guard bits == scheme.bits, groupSize == scheme.groupSize else {
            throw unsupported(object, "mode", "\(mode) of \(bits) bits in groups of \(groupSize)")
        }
        return scheme
    }

    private static func affineScheme(
        _ object: ConfigurationFile
    ) throws(CheckpointError) -> QuantizationScheme {
        let scheme = AffineQuantization(
            bits: try object.integer("bits", in: 1...32),
            groupSize: try object.integer("group_size", in: 1...65_536)
        )
        guard scheme.isSupported else {
            throw unsupported(object, "to", "\(scheme.bits) bits in groups of \(scheme.groupSize)")
        }
        return .affine(scheme)
    }

    private static func unsupported(
        _ object: ConfigurationFile,
        _ what: String,
        _ found: String
    ) -> CheckpointError {
        .unsupported(
            path: object.path,
            what: "quantization \(what)",
            found: found,
            supported: "MLX affine quantization of 2 to 6 or 8 bits in groups of 32, 64 or 128, "
                + "mxfp4, nvfp4 or mxfp8"
        )
    }
}
