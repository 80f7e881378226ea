// PEFT's adapters. adapter_config.json has all fields of a LoraConfig, of which these count here:
//
//     {"peft_type": "LORA", "r": 16, "lora_alpha": 32, "use_rslora": false,
//      "rank_pattern": {"mlp.down_proj": 8}, "alpha_pattern": {},
//      "target_modules": ["qkv_proj", "o_proj"]}
//
// The factor is lora_alpha / r, with use_rslora lora_alpha / sqrt(r).

import JSONText

struct PEFTLayout: AdapterLayout {
    let fileName = "adapter_model.safetensors"
    private let rank: Int
    private let alpha: Double
    private let isRankStabilized: Bool
    /// The ranks and alphas of single modules; the first that matches counts.
    private let ranks: [(module: String, rank: Int)]
    private let alphas: [(module: String, alpha: Double)]
    /// The modules that it changes; nil if they are given by a rule.
    private let targets: [String]?

    /// Settings that change nothing in an answer, or are read below.
    private static let knownKeys: Set = [
        "alpha_pattern", "auto_mapping", "base_model_name_or_path", "bias", "corda_config",
        "ensure_weight_tying", "eva_config", "exclude_modules", "inference_mode",
        "init_lora_weights", "layers_pattern", "layers_to_transform", "loftq_config", "lora_alpha",
        "lora_dropout", "lora_ga_config", "megatron_core", "peft_type", "peft_version",
        "qalora_group_size", "r", "rank_pattern", "revision", "target_modules", "task_type",
        "use_rslora",
    ]
    /// Initial weights that leave the model's own as they were.
    private static let knownInitializations = ["eva", "gaussian", "orthogonal"]

    init(_ config: ConfigurationFile) throws(CheckpointError) {
        try Self.refuseOthers(config)
        let rankRange = 1...AdapterCheckpoint.rankMax
        let alphaRange = -1e6...1e6
        rank = try config.integer("r", in: rankRange)
        alpha = try config.double("lora_alpha", in: alphaRange)
        isRankStabilized = try config.bool("use_rslora", default: false)
        ranks = try Self.pattern("rank_pattern", config).map {
            (module, pattern) throws(CheckpointError) in
            (module, try pattern.integer(module, in: rankRange))
        }
        alphas = try Self.pattern("alpha_pattern", config).map {
            (module, pattern) throws(CheckpointError) in
            (module, try pattern.double(module, in: alphaRange))
        }
        // A text is a regular expression, or "all-linear".
        let isRule = config.value("target_modules")?.string != nil
        targets = isRule ? nil : try config.strings("target_modules")
    }

    private static func refuseOthers(_ config: ConfigurationFile) throws(CheckpointError) {
        func refuse(_ key: String, _ value: String) throws(CheckpointError) {
            throw .unsupportedAdapter(
                path: config.path,
                what: "\(key) \(value)",
                supported: "a LoRA adapter that changes linear layers and nothing else, or a model "
                    + "into which PEFT's merge_and_unload has put this one"
            )
        }
        let type = try config.string("peft_type") ?? ""
        if type != "LORA" { try refuse("peft_type", "\"\(type)\"") }
        let bias = try config.string("bias") ?? "none"
        if bias != "none" { try refuse("bias", "\"\(bias)\"") }
        if let start = config.value("init_lora_weights")?.string,
            !knownInitializations.contains(start)
        {
            try refuse("init_lora_weights", "\"\(start)\", which changes the model's own weights,")
        }
        for (key, value) in config.root where !knownKeys.contains(key) && !value.isEmpty {
            try refuse("the setting", key)
        }
    }

    /// The modules for which the object `key` has values, in the order of the file, and the object.
    private static func pattern(
        _ key: String,
        _ config: ConfigurationFile
    ) throws(CheckpointError) -> [(module: String, pattern: ConfigurationFile)] {
        guard let pattern = try config.object(key) else { return [] }
        for (module, _) in pattern.root where !isPath(module) {
            throw .unsupportedAdapter(
                path: config.path,
                what: "the regular expression \"\(module)\" in \(key)",
                supported: "an adapter whose \(key) has names of modules"
            )
        }
        return pattern.root.map { (module: $0.key, pattern: pattern) }
    }

    /// Whether a regular expression is a path of names, which matches itself.
    private static func isPath(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", ".": true
            default: false
            }
        }
    }

    func part(of tensor: Tensor) throws(CheckpointError) -> AdapterPart {
        let prefix = "base_model.model."
        guard tensor.name.hasPrefix(prefix) else { throw unsupported(tensor) }
        let name = String(tensor.name.dropFirst(prefix.count))
        if let module = name.dropping(suffix: ".lora_A.weight") { return .down(module) }
        if let module = name.dropping(suffix: ".lora_B.weight") { return .up(module) }
        throw unsupported(tensor)
    }

    func change(of path: String) -> (rank: Int, scale: Double) {
        let rank = ranks.first { Self.matches(path, $0.module) }?.rank ?? rank
        let alpha = alphas.first { Self.matches(path, $0.module) }?.alpha ?? alpha
        let divisor = isRankStabilized ? Double(rank).squareRoot() : Double(rank)
        return (rank, alpha / divisor)
    }

    func rank(ofDown shape: [Int]) -> Int? { shape.count == 2 ? shape[0] : nil }
    func rank(ofUp shape: [Int]) -> Int? { shape.count == 2 ? shape[1] : nil }

    func check(_ modules: [String], path: String) throws(CheckpointError) {
        guard let targets else { return }
        func refuse(_ reason: String) throws(CheckpointError) {
            throw .mismatchedAdapter(
                path: path,
                reason: "\(reason) target_modules of \(AdapterCheckpoint.configurationName)"
            )
        }
        for module in modules where !targets.contains(where: { Self.matches(module, $0) }) {
            try refuse("it changes \(module), which is not among")
        }
        for target in targets where !modules.contains(where: { Self.matches($0, target) }) {
            try refuse("it does not change \(target), which is among")
        }
    }

    /// Whether a module's path is `name`, or ends with it.
    private static func matches(_ path: String, _ name: String) -> Bool {
        path == name || path.hasSuffix(".\(name)")
    }
}

extension JSONValue {
    /// Whether a setting with this value asks for nothing: null, false, "", [] or {}.
    fileprivate var isEmpty: Bool {
        isNull || bool == false || string?.isEmpty == true || array?.isEmpty == true
            || object?.isEmpty == true
    }
}
