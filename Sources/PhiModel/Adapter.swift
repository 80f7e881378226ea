// A LoRA adapter in the form in which passes use it: for each linear layer that it changes, two
// matrices in memory of their own, both with the rank as their rows.

public import Checkpoints
import PhiKernels

/// An adapter for a loaded model, which requests of the model may use; shared freely among threads.
public final class Adapter: Sendable {
    /// The changes of each linear layer, by `LinearLayer.place`.
    let changes: [[LowRankChange]]
    /// The largest rank.
    let rankMax: Int
    /// The size of its matrices in memory.
    public let byteCount: Int
    private let places: AdapterPlaces

    /// Creates the adapter of `checkpoint` for `model`, and copies its matrices.
    /// - Throws: `.mismatchedAdapter` if it changes layers that the model does not have or that have
    ///   other sizes, `.unsupportedAdapter` for layers that cannot be changed here.
    public init(_ checkpoint: AdapterCheckpoint, for model: PhiModel) throws(CheckpointError) {
        places = model.weights.places
        var changes: [[LowRankChange]] = Array(repeating: [], count: places.count)
        for module in checkpoint.modules {
            let place = try places.module(of: module)
            changes[place.place].append(LowRankChange(module, checkpoint.format, place))
        }
        self.changes = changes
        rankMax = checkpoint.modules.reduce(0) { max($0, $1.rank) }
        byteCount = changes.joined().reduce(0) { $0 + $1.byteCount }
    }

    /// Validates that `checkpoint` is an adapter of `model`, without reading its matrices.
    /// - Throws: as `init`.
    public static func check(
        _ checkpoint: AdapterCheckpoint,
        for model: PhiModel
    ) throws(CheckpointError) {
        for module in checkpoint.modules { _ = try model.weights.places.module(of: module) }
    }

    /// Whether it was created for `model`, or for one that shares its weights.
    public func fits(_ model: PhiModel) -> Bool { fits(model.weights.places) }

    /// Whether it was created for the model with these places.
    package func fits(_ places: AdapterPlaces) -> Bool { self.places === places }
}

/// The linear layers of a model that adapters can change. Its identity is that of the loaded model.
package final class AdapterPlaces: Sendable {
    /// A module: all of a linear layer, or a part of its outputs.
    struct Module: Sendable {
        /// The number of the linear layer.
        let place: Int
        /// The first of its outputs.
        let firstOutput: Int
        let outputCount: Int
        let inputCount: Int
    }

    private let modules: [String: Module]
    /// The number of linear layers.
    let count: Int

    init(modules: [String: Module], count: Int) {
        self.modules = modules
        self.count = count
    }

    /// The module that `change` is for.
    /// - Throws: `.mismatchedAdapter`, or `.unsupportedAdapter`.
    func module(of change: AdapterCheckpoint.Module) throws(CheckpointError) -> Module {
        let path = change.down.file.path
        guard let module = modules[change.path] else {
            let isOther = ["expert", "switch_mlp", "embed_tokens", "lm_head"].contains {
                change.path.contains($0)
            }
            guard isOther else {
                throw .mismatchedAdapter(
                    path: path,
                    reason: "it changes \(change.path), which this model does not have"
                )
            }
            throw .unsupportedAdapter(
                path: path,
                what: "a change of \(change.path)",
                supported: "an adapter that changes neither embeddings nor experts, and a head "
                    + "only where it has weights of its own"
            )
        }
        guard change.inputCount == module.inputCount, change.outputCount == module.outputCount
        else {
            throw .mismatchedAdapter(
                path: path,
                reason: "its change of \(change.path) is from \(change.inputCount) to "
                    + "\(change.outputCount) numbers where the model's layer is from "
                    + "\(module.inputCount) to \(module.outputCount)"
            )
        }
        return module
    }
}

extension PhiModel {
    /// Where adapters can change the model.
    package var adapterPlaces: AdapterPlaces { weights.places }
}

/// The change of a module.
///
/// Safety: the pointers point into `matrices`, which live as long as this value and are constant.
struct LowRankChange: @unchecked Sendable {
    let storage: phi_low_rank
    /// The first output of the linear layer that it changes.
    let firstOutput: Int
    private let matrices: [AdapterMatrix]

    /// Copies the matrices of `module`, whose sizes were checked.
    init(
        _ module: AdapterCheckpoint.Module,
        _ format: AdapterCheckpoint.Format,
        _ place: AdapterPlaces.Module
    ) {
        let isMLX = format == .mlx
        let matrices = [
            AdapterMatrix(module.down, transposing: isMLX),
            AdapterMatrix(module.up, transposing: !isMLX),
        ]
        self.matrices = matrices
        firstOutput = place.firstOutput
        storage = phi_low_rank(
            down: matrices[0].storage,
            up: matrices[1].storage,
            scale: Float(module.scale)
        )
    }

    /// The size of its matrices.
    var byteCount: Int { matrices.reduce(0) { $0 + $1.byteCount } }
}

/// A float matrix in memory of its own.
///
/// Safety: the memory is constant from the end of `init` to `deinit`.
private final class AdapterMatrix: @unchecked Sendable {
    let storage: phi_matrix
    let byteCount: Int
    private let memory: UnsafeMutableRawBufferPointer

    /// Copies `tensor`, or its transpose.
    init(_ tensor: Tensor, transposing: Bool) {
        let (rows, columns) = (tensor.shape[0], tensor.shape[1])
        memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: tensor.byteRange.count,
            alignment: 64
        )
        if !transposing {
            memory.copyMemory(from: tensor.bytes)
        } else if tensor.elementType.byteCount == 2 {
            Self.transpose(tensor.bytes, rows, columns, to: memory, as: UInt16.self)
        } else {
            Self.transpose(tensor.bytes, rows, columns, to: memory, as: UInt32.self)
        }
        extendLifetime(tensor)
        byteCount = tensor.byteRange.count
        storage = phi_matrix(
            weights: UnsafeRawPointer(memory.baseAddress),
            scales: nil,
            biases: nil,
            rows: transposing ? columns : rows,
            columns: transposing ? rows : columns,
            float_type: tensor.elementType.kernelType,
            bias_type: tensor.elementType.kernelType,
            code_type: PHI_INTEGER_CODES,
            bits: 0,
            group_size: 0
        )
    }

    deinit {
        memory.deallocate()
    }

    /// Writes the transpose of a matrix [rows, columns] of `Element`s.
    private static func transpose<Element: BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer,
        _ rows: Int,
        _ columns: Int,
        to memory: UnsafeMutableRawBufferPointer,
        as type: Element.Type
    ) {
        let size = MemoryLayout<Element>.stride
        for column in 0..<columns {
            for row in 0..<rows {
                let element = bytes.loadUnaligned(
                    fromByteOffset: (row * columns + column) * size,
                    as: type
                )
                memory.storeBytes(
                    of: element,
                    toByteOffset: (column * rows + row) * size,
                    as: type
                )
            }
        }
    }
}
