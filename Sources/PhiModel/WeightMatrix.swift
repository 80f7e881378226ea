// The weights of a linear layer: found in a checkpoint, validated, and used in place, or repacked.

import Checkpoints
import PhiKernels

/// A matrix [rows, columns] in a mapped file, float or MLX-quantized, or repacked.
///
/// Safety: the pointers point into `files` or `repacked`, which are constant when they are read, and
/// mapped for the lifetime of this value.
struct WeightMatrix: @unchecked Sendable {
    let storage: phi_matrix
    private let files: [MappedFile]
    /// The memory of a matrix that is not used in place.
    let repacked: RepackedMatrix?

    var rows: Int { storage.rows }
    var columns: Int { storage.columns }
    var isQuantized: Bool { storage.bits != 0 }
    var hasBiases: Bool { isQuantized && storage.code_type == PHI_INTEGER_CODES }
    /// Groups in a row; 0 for a float matrix.
    var groupCount: Int { isQuantized ? columns / Int(storage.group_size) : 0 }

    /// The weights of the module `path`, such as `model.layers.0.mlp.down_proj`; if `stackCount` is
    /// given, of that many matrices of `rows` rows, which MLX stacks in one tensor.
    ///
    /// A module is quantized if it has scales or packed weights; bits and group size follow from
    /// the shapes, since those in config.json are only defaults. A matrix in blocks is repacked, if
    /// `exact` without any rounding.
    /// - Throws: `CheckpointError` if tensors are missing or have other shapes or types.
    init(
        _ path: String,
        rows: Int,
        columns: Int,
        stackCount: Int? = nil,
        from checkpoint: Checkpoint,
        quantization: Quantization?,
        exact: Bool
    ) throws(CheckpointError) {
        let looksQuantized =
            checkpoint.contains("\(path).scales")
            || checkpoint.tensors["\(path).weight"]?.elementType == .uint32
        let shape = (stackCount.map { [$0] } ?? []) + [rows]
        if looksQuantized, quantization?.overrides[path] != Quantization.Override.none {
            try self.init(quantized: path, shape, columns, checkpoint, quantization)
        } else if checkpoint.tensors["\(path).weight"]?.elementType.isBlocked == true {
            try self.init(blocks: path, rows, columns, checkpoint, exact: exact)
        } else {
            try self.init(float: path, shape, columns, checkpoint)
        }
    }

    private init(
        blocks path: String,
        _ rows: Int,
        _ columns: Int,
        _ checkpoint: Checkpoint,
        exact: Bool
    ) throws(CheckpointError) {
        let weight = try checkpoint.tensor("\(path).weight").checked(shape: [rows, columns])
        let repacked = try RepackedMatrix(weight, exact: exact)
        files = []
        self.repacked = repacked
        storage = repacked.matrix
    }

    private init(
        float path: String,
        _ rows: [Int],
        _ columns: Int,
        _ checkpoint: Checkpoint
    ) throws(CheckpointError) {
        let weight = try checkpoint.tensor("\(path).weight")
            .checked(types: ElementType.floats).checked(shape: rows + [columns])
        files = [weight.file]
        repacked = nil
        storage = phi_matrix(
            weights: weight.bytes.baseAddress,
            scales: nil,
            biases: nil,
            rows: rows.reduce(1, *),
            columns: columns,
            float_type: weight.elementType.kernelType,
            bias_type: weight.elementType.kernelType,
            code_type: PHI_INTEGER_CODES,
            bits: 0,
            group_size: 0
        )
    }

    private init(
        quantized path: String,
        _ rows: [Int],
        _ columns: Int,
        _ checkpoint: Checkpoint,
        _ quantization: Quantization?
    ) throws(CheckpointError) {
        let weight = try checkpoint.tensor("\(path).weight").checked(types: [.uint32])
        let scales = try checkpoint.tensor("\(path).scales")
            .checked(types: ElementType.floats + [.uint8])
        let scheme = Self.scheme(path, weight, scales, columns, quantization)
        guard columns.isMultiple(of: scheme.groupSize) else {
            throw .unsupported(
                path: scales.file.path,
                what: "the tensor \(scales.name), with",
                found: "groups of \(scheme.groupSize) in rows of \(columns),",
                supported: "groups that divide the rows"
            )
        }
        _ = try weight.checked(shape: rows + [columns * scheme.bits / 32])
        _ = try scales.checked(types: scheme.scaleTypes)
            .checked(shape: rows + [columns / scheme.groupSize])
        var biases: Tensor?
        if case .affine = scheme {
            biases = try checkpoint.tensor("\(path).biases")
                .checked(types: ElementType.floats).checked(shape: scales.shape)
        }
        files = [weight.file, scales.file] + (biases.map { [$0.file] } ?? [])
        repacked = nil
        storage = phi_matrix(
            weights: weight.bytes.baseAddress,
            scales: scales.bytes.baseAddress,
            biases: biases?.bytes.baseAddress,
            rows: rows.reduce(1, *),
            columns: columns,
            float_type: scheme.scaleType ?? scales.elementType.kernelType,
            bias_type: biases?.elementType.kernelType ?? PHI_FLOAT32,
            code_type: scheme.codeType,
            bits: UInt32(scheme.bits),
            group_size: UInt32(scheme.groupSize)
        )
    }

    private init(_ storage: phi_matrix, _ files: [MappedFile], _ repacked: RepackedMatrix?) {
        self.storage = storage
        self.files = files
        self.repacked = repacked
    }

    /// Matrix `index` of stacked ones with `rows` rows each.
    func matrix(_ index: Int, rows: Int) -> WeightMatrix {
        let first = index * rows
        var part = storage
        part.rows = rows
        if isQuantized {
            let groups = first * groupCount
            part.weights += first * columns * Int(storage.bits) / 8
            part.scales += phi_stored_size(storage.float_type, groups)
            if hasBiases { part.biases += phi_stored_size(storage.bias_type, groups) }
        } else {
            part.weights += phi_stored_size(storage.float_type, first * columns)
        }
        return WeightMatrix(part, files, repacked)
    }

    /// The scheme of the module `path`, with rows of `columns` weights: the one that its tensors
    /// have, unless config.json has one for this module. For invalid shapes the one of config.json,
    /// so that errors name what it asks for.
    private static func scheme(
        _ path: String,
        _ weight: Tensor,
        _ scales: Tensor,
        _ columns: Int,
        _ quantization: Quantization?
    ) -> QuantizationScheme {
        if quantization?.overrides[path] == nil,
            let scheme = scheme(weight, scales, columns)
        {
            return scheme
        }
        return quantization?.scheme(of: path)
            ?? .affine(AffineQuantization(bits: 4, groupSize: 64))
    }

    /// The scheme that follows from the widths of codes and scales; nil for invalid shapes.
    private static func scheme(
        _ weight: Tensor,
        _ scales: Tensor,
        _ columns: Int
    ) -> QuantizationScheme? {
        let words = weight.shape.last ?? 0
        let groups = scales.shape.last ?? 0
        let (bits, overflow) = words.multipliedReportingOverflow(by: 32)
        return QuantizationScheme(
            bits: overflow ? 0 : bits / columns,
            groupSize: groups > 0 ? columns / groups : 0,
            scales: scales.elementType
        )
    }
}

extension QuantizationScheme {
    /// The kernels' type for the codes.
    fileprivate var codeType: phi_code_type {
        switch self {
        case .affine: PHI_INTEGER_CODES
        case .mxfp4, .nvfp4: PHI_E2M1_CODES
        case .mxfp8: PHI_E4M3_CODES
        }
    }

    /// The kernels' type for scales of one byte; nil if scales are floats.
    fileprivate var scaleType: phi_float_type? {
        switch self {
        case .affine: nil
        case .mxfp4, .mxfp8: PHI_E8M0
        case .nvfp4: PHI_E4M3
        }
    }
}

extension ElementType {
    /// The kernels' type for a float type.
    var kernelType: phi_float_type {
        switch self {
        case .float16: PHI_FLOAT16
        case .bfloat16: PHI_BFLOAT16
        default: PHI_FLOAT32
        }
    }
}
