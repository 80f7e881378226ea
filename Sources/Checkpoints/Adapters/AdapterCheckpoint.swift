// LoRA adapters: folders with a configuration and two small matrices for each linear layer that they
// change, as mlx-lm and PEFT write them.

import FoundationEssentials

/// The files of an adapter. They are mapped, so they must not change meanwhile.
public struct AdapterCheckpoint: Sendable {
    /// The program whose format it has.
    public enum Format: Sendable {
        /// mlx-lm: adapters.safetensors.
        case mlx
        /// PEFT: adapter_model.safetensors.
        case peft
    }

    /// The change of one linear layer: outputs += scale * up(down(inputs)).
    public struct Module: Sendable {
        /// The path of the linear layer, such as `model.layers.0.mlp.down_proj`.
        public let path: String
        /// mlx-lm's lora_a [inputs, rank], or PEFT's lora_A [rank, inputs].
        public let down: Tensor
        /// mlx-lm's lora_b [rank, outputs], or PEFT's lora_B [outputs, rank].
        public let up: Tensor
        /// The rank, at most `rankMax`.
        public let rank: Int
        /// The number of inputs of the layer.
        public let inputCount: Int
        /// The number of its outputs.
        public let outputCount: Int
        /// The factor.
        public let scale: Double
    }

    /// The name of the file with the settings, in both formats.
    public static let configurationName = "adapter_config.json"
    /// Maximum rank of a change.
    public static let rankMax = 1024

    /// The path of the folder, as given.
    public let folder: String
    /// The format of its files.
    public let format: Format
    /// The changed layers, ordered by path; at least one.
    public let modules: [Module]

    /// Maps the files in `folder`, and validates that settings and weights belong together.
    /// - Throws: `CheckpointError` if a file is missing or damaged, or if the adapter is of a kind
    ///   that is not supported.
    public static func open(_ folder: String) throws(CheckpointError) -> AdapterCheckpoint {
        guard let config = try ConfigurationFile.optional(folder: folder, name: configurationName)
        else { throw .noAdapter(folder: folder, name: configurationName) }
        return try AdapterCheckpoint(config, folder: folder)
    }

    private init(_ config: ConfigurationFile, folder: String) throws(CheckpointError) {
        self.folder = folder
        let layout: any AdapterLayout
        if config.value("peft_type") != nil {
            format = .peft
            layout = try PEFTLayout(config)
        } else {
            format = .mlx
            layout = try MLXLayout(config)
        }
        let path = "\(folder)/\(layout.fileName)"
        guard FileManager.default.fileExists(atPath: path) else {
            throw .noAdapter(folder: folder, name: layout.fileName)
        }
        modules = try Self.modules(in: SafetensorsFile(path: path), layout)
        try layout.check(modules.map(\.path), path: path)
    }

    private static func modules(
        in file: SafetensorsFile,
        _ layout: any AdapterLayout
    ) throws(CheckpointError) -> [Module] {
        var pairs: [String: (down: Tensor?, up: Tensor?)] = [:]
        for tensor in file.tensors {
            let tensor = try tensor.checked(types: ElementType.floats)
            switch try layout.part(of: tensor) {
            case .down(let module): pairs[module, default: (nil, nil)].down = tensor
            case .up(let module): pairs[module, default: (nil, nil)].up = tensor
            }
        }
        guard !pairs.isEmpty else {
            throw .mismatchedAdapter(path: file.file.path, reason: "it changes no layer")
        }
        var modules: [Module] = []
        for (path, pair) in pairs.sorted(by: { $0.key < $1.key }) {
            guard let down = pair.down, let up = pair.up else {
                throw .mismatchedAdapter(
                    path: file.file.path,
                    reason: "\(path) has only one of the two matrices of a change"
                )
            }
            modules.append(try module(path, down, up, layout))
        }
        return modules
    }

    private static func module(
        _ path: String,
        _ down: Tensor,
        _ up: Tensor,
        _ layout: any AdapterLayout
    ) throws(CheckpointError) -> Module {
        let (rank, scale) = layout.change(of: path)
        let found = [layout.rank(ofDown: down.shape), layout.rank(ofUp: up.shape)]
        guard found == [rank, rank] else {
            throw .mismatchedAdapter(
                path: down.file.path,
                reason: "\(path) has matrices \(down.shape) and \(up.shape) where "
                    + "\(configurationName) says rank \(rank)"
            )
        }
        return Module(
            path: path,
            down: down,
            up: up,
            rank: rank,
            // The other dimension of each.
            inputCount: down.elementCount / rank,
            outputCount: up.elementCount / rank,
            scale: scale
        )
    }
}

/// What a tensor of an adapter is.
enum AdapterPart {
    /// The first matrix of the change of this module.
    case down(String)
    /// The second one.
    case up(String)
}

/// How a format names and lays out its files.
protocol AdapterLayout {
    /// The name of the file with the weights.
    var fileName: String { get }

    /// What `tensor` is.
    /// - Throws: `.unsupportedAdapter` for a part of another kind of adapter.
    func part(of tensor: Tensor) throws(CheckpointError) -> AdapterPart

    /// The rank and the factor of the change of the module `path`, by the settings.
    func change(of path: String) -> (rank: Int, scale: Double)

    /// The rank of a first matrix of this shape, and of a second one; nil if it is no matrix.
    func rank(ofDown shape: [Int]) -> Int?
    func rank(ofUp shape: [Int]) -> Int?

    /// Validates that the settings name exactly these modules, of the file `path`.
    /// - Throws: `.mismatchedAdapter`.
    func check(_ modules: [String], path: String) throws(CheckpointError)
}

extension AdapterLayout {
    /// The error for a tensor that is no matrix of a change.
    func unsupported(_ tensor: Tensor) -> CheckpointError {
        .unsupportedAdapter(
            path: tensor.file.path,
            what: "the tensor \(tensor.name)",
            supported: "a LoRA adapter that changes linear layers and nothing else"
        )
    }
}
