// Finds the tensors of a checkpoint by the names that each architecture gives them.

import Checkpoints
import PhiKernels

/// Reads modules and records which tensors that were.
struct WeightReader {
    let checkpoint: Checkpoint
    let configuration: ModelConfiguration
    let sizes: Dimensions
    /// Whether matrices in blocks are repacked without rounding.
    let exact: Bool
    private(set) var repacked: [RepackedMatrix] = []
    private var tensorsRead: Set<String> = []
    /// The modules that adapters can change.
    private var modules: [String: AdapterPlaces.Module] = [:]
    /// The number of linear layers that they are in.
    private var placeCount = 0

    init(checkpoint: Checkpoint, configuration: ModelConfiguration, exact: Bool) {
        self.checkpoint = checkpoint
        self.configuration = configuration
        self.exact = exact
        sizes = Dimensions(configuration)
    }

    /// The weights of the layer `path`.
    mutating func layer(_ path: String) throws(CheckpointError) -> LayerWeights {
        switch configuration.architecture {
        case .phi3, .phi4mm: try phi3Layer(path)
        case .phi: try phiLayer(path)
        case .phimoe: try phimoeLayer(path)
        case .phi3small: try phi3smallLayer(path)
        }
    }

    /// The norm before the head.
    mutating func finalNorm() throws(CheckpointError) -> NormWeights {
        switch configuration.architecture {
        case .phi3, .phimoe, .phi4mm: try norm("model.norm")
        case .phi, .phi3small: try norm("model.final_layernorm")
        }
    }

    // MARK: - Modules

    mutating func matrix(
        _ path: String,
        _ rows: Int,
        _ columns: Int,
        stackCount: Int? = nil
    ) throws(CheckpointError) -> WeightMatrix {
        tensorsRead.formUnion(["\(path).weight", "\(path).scales"])
        let matrix = try WeightMatrix(
            path,
            rows: rows,
            columns: columns,
            stackCount: stackCount,
            from: checkpoint,
            quantization: configuration.quantization,
            exact: exact
        )
        if matrix.hasBiases { tensorsRead.insert("\(path).biases") }
        if let memory = matrix.repacked { repacked.append(memory) }
        return matrix
    }

    /// A linear layer in one module, with its bias where the file has one.
    mutating func linear(
        _ path: String,
        _ rows: Int,
        _ columns: Int
    ) throws(CheckpointError) -> LinearLayer {
        let layer = LinearLayer(
            [try matrix(path, rows, columns)],
            bias: try bias(path, rows),
            place: placeCount
        )
        addPlace([(path, rows)], columns: columns)
        return layer
    }

    /// The head, whose matrix is the embedding's if they are tied.
    mutating func head(_ embedding: WeightMatrix) throws(CheckpointError) -> LinearLayer {
        let vocabulary = configuration.vocabularyCount
        if configuration.tiesEmbeddings {
            return LinearLayer([embedding], bias: try bias("lm_head", vocabulary))
        }
        return try linear("lm_head", vocabulary, sizes.hidden)
    }

    /// Notes a linear layer of these modules, one after the other, as one that adapters can change.
    private mutating func addPlace(_ names: [(path: String, rows: Int)], columns: Int) {
        var first = 0
        for (path, rows) in names {
            modules[path] = AdapterPlaces.Module(
                place: placeCount,
                firstOutput: first,
                outputCount: rows,
                inputCount: columns
            )
            first += rows
        }
        placeCount += 1
    }

    /// The places that adapters can change, once all layers are read.
    var adapterPlaces: AdapterPlaces { AdapterPlaces(modules: modules, count: placeCount) }

    /// Queries, keys and values in modules of their own.
    mutating func separateQueryKeyValue(
        _ path: String
    ) throws(CheckpointError) -> LinearLayer {
        var matrices: [WeightMatrix] = []
        var biases: [Float] = []
        let widths = [
            ("q_proj", sizes.queryWidth), ("k_proj", sizes.keyWidth), ("v_proj", sizes.keyWidth),
        ]
        for (name, width) in widths {
            matrices.append(try matrix("\(path).\(name)", width, sizes.hidden))
            biases += try bias("\(path).\(name)", width)
        }
        guard biases.isEmpty || biases.count == sizes.queryKeyValueWidth else {
            throw .missingTensor(
                name: "\(path).*_proj.bias",
                folder: checkpoint.folder,
                indexedFile: nil
            )
        }
        let layer = LinearLayer(matrices, bias: biases, place: placeCount)
        addPlace(widths.map { ("\(path).\($0)", $1) }, columns: sizes.hidden)
        return layer
    }

    /// The bias of the module `path`; empty if it has none.
    mutating func bias(_ path: String, _ count: Int) throws(CheckpointError) -> [Float] {
        let name = "\(path).bias"
        switch configuration.architecture {
        case .phi3, .phi4mm: return []
        case .phimoe where !checkpoint.contains(name): return []
        case .phi3small where path == "lm_head": return []
        case .phi, .phimoe, .phi3small: return try vector(name, count)
        }
    }

    mutating func norm(_ path: String) throws(CheckpointError) -> NormWeights {
        NormWeights(
            weight: try vector("\(path).weight", sizes.hidden),
            bias: configuration.design.norm == .layer
                ? try vector("\(path).bias", sizes.hidden) : []
        )
    }

    /// The numbers of a small tensor as floats, which avoids conversions in each pass.
    private mutating func vector(
        _ name: String,
        _ count: Int
    ) throws(CheckpointError) -> [Float] {
        tensorsRead.insert(name)
        return try checkpoint.tensor(name)
            .checked(types: ElementType.floats).checked(shape: [count]).floats()
    }

    /// Refuses tensors that no module has read: they would be ignored silently.
    func refuseUnreadTensors() throws(CheckpointError) {
        for name in checkpoint.tensors.keys.sorted() {
            let isKnown =
                tensorsRead.contains(name) || name.hasSuffix("rotary_emb.inv_freq")
                || name.hasPrefix("lm_head.") && configuration.tiesEmbeddings
                || checkpoint.gguf != nil && name.hasPrefix("rope_factors_")
            guard isKnown else {
                throw .unexpectedTensor(
                    path: try checkpoint.tensor(name).file.path,
                    tensor: name
                )
            }
        }
    }
}

extension Tensor {
    /// The elements as floats; the type must be one of `ElementType.floats`.
    func floats() -> [Float] {
        defer { extendLifetime(file) }
        let bytes = bytes
        return (0..<elementCount).map { index in
            switch elementType {
            case .float32:
                Float(bitPattern: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            case .float16:
                Float(
                    Float16(
                        bitPattern: bytes.loadUnaligned(
                            fromByteOffset: 2 * index,
                            as: UInt16.self
                        )
                    )
                )
            default:
                Float(
                    bitPattern: UInt32(
                        bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
                    ) << 16
                )
            }
        }
    }
}
