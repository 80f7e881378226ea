// mlx-lm's adapters. adapter_config.json has all arguments of the training, of which these count:
//
//     {"fine_tune_type": "lora", "num_layers": 16,
//      "lora_parameters": {"rank": 8, "scale": 20.0, "dropout": 0.0, "keys": ["self_attn.qkv_proj"]}}
//
// `num_layers` counts from the last layer; 0 and -1 mean all. A key is a path in a layer, or in the
// model.

import JSONText

struct MLXLayout: AdapterLayout {
    let fileName = "adapters.safetensors"
    private let rank: Int
    private let scale: Double
    /// The number of last layers that it changes; nil for all.
    private let layerCount: Int?
    /// The modules that it changes; nil for all.
    private let keys: [String]?

    init(_ config: ConfigurationFile) throws(CheckpointError) {
        let kind = try config.string("fine_tune_type") ?? "lora"
        guard kind == "lora" else {
            throw .unsupportedAdapter(
                path: config.path,
                what: "fine_tune_type \"\(kind)\"",
                supported: "an adapter with fine_tune_type \"lora\", or a model into which "
                    + "mlx_lm.fuse has put this one"
            )
        }
        guard let parameters = try config.object("lora_parameters") else {
            throw .missingSetting(path: config.path, key: "lora_parameters")
        }
        rank = try parameters.integer("rank", in: 1...AdapterCheckpoint.rankMax)
        scale = try parameters.double("scale", in: -1e6...1e6)
        // Earlier releases called it lora_layers.
        let key = config.value("num_layers") == nil ? "lora_layers" : "num_layers"
        let count = try config.integer(key, in: -1...65_536)
        layerCount = count > 0 ? count : nil
        keys = try parameters.strings("keys")
    }

    func part(of tensor: Tensor) throws(CheckpointError) -> AdapterPart {
        if let module = tensor.name.dropping(suffix: ".lora_a") { return .down(module) }
        if let module = tensor.name.dropping(suffix: ".lora_b") { return .up(module) }
        throw unsupported(tensor)
    }

    func change(of path: String) -> (rank: Int, scale: Double) { (rank, scale) }

    func rank(ofDown shape: [Int]) -> Int? { shape.count == 2 ? shape[1] : nil }
    func rank(ofUp shape: [Int]) -> Int? { shape.count == 2 ? shape[0] : nil }

    func check(_ modules: [String], path: String) throws(CheckpointError) {
        var layers: Set<Substring> = []
        for module in modules {
            let (layer, place) = Self.split(module)
            if let layer { layers.insert(layer) }
            if let keys, !keys.contains(module), !keys.contains(place) {
                throw .mismatchedAdapter(
                    path: path,
                    reason: "it changes \(module), which is not among lora_parameters.keys of "
                        + AdapterCheckpoint.configurationName
                )
            }
        }
        if let layerCount, layers.count > layerCount {
            throw .mismatchedAdapter(
                path: path,
                reason: "it changes \(layers.count) layers where "
                    + "\(AdapterCheckpoint.configurationName) says \(layerCount)"
            )
        }
    }

    /// The layer of a module, and the module's path in it: `model.layers.3.mlp.fc1` is `mlp.fc1` in
    /// layer 3.
    private static func split(_ module: String) -> (layer: Substring?, place: String) {
        let prefix = "model.layers."
        guard module.hasPrefix(prefix) else { return (nil, module) }
        let rest = module.dropFirst(prefix.count)
        guard let dot = rest.firstIndex(of: ".") else { return (nil, module) }
        return (rest[..<dot], String(rest[rest.index(after: dot)...]))
    }
}

extension ConfigurationFile {
    /// The list of strings `key`; nil if there is none.
    func strings(_ key: String) throws(CheckpointError) -> [String]? {
        guard let value = value(key) else { return nil }
        let strings = (value.array ?? []).compactMap(\.string)
        guard let array = value.array, strings.count == array.count else {
            throw invalid(key, "is not a list of texts")
        }
        return strings
    }
}

extension String {
    /// The text before `suffix`; nil if it does not end with it.
    func dropping(suffix: String) -> String? {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
    }
}
