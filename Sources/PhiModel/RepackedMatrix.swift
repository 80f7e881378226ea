// Matrices in blocks of a GGUF file, which no kernel reads: they are written again in the layout of
// the kernels, in memory of their own.

import Checkpoints
import Glibc
import PhiKernels

/// A matrix whose weights are repacked before its first use.
///
/// Safety: the memory is written by `repack` only, which `WeightRepacking` calls once, before there
/// is a session that reads it; afterwards it is constant.
final class RepackedMatrix: @unchecked Sendable {
    private let repacking: phi_repacking
    private let tensor: Tensor
    private let memory: UnsafeMutableRawPointer
    /// The size of its memory.
    let byteCount: Int

    /// The rows that a thread repacks at a time.
    private static let portion = 64

    /// Reserves the memory, which takes none before it is written.
    /// - Parameters:
    ///   - tensor: a matrix in blocks, of a shape that was checked.
    ///   - exact: whether the weights stay exactly the same, see `phi_repacked`.
    /// - Throws: `.unreadable` if the system has no memory.
    init(_ tensor: Tensor, exact: Bool) throws(CheckpointError) {
        let rows = tensor.shape[0]
        let columns = tensor.shape[1]
        var target = phi_repacked(tensor.elementType.blockType, rows, columns, exact ? 1 : 0)
        let codes = Self.padded(rows * columns * Int(target.bits) / 8)
        let numberSize = target.float_type == PHI_FLOAT32 ? 4 : 2
        let scales = Self.padded(rows * columns / Int(target.group_size) * numberSize)
        byteCount = codes + 2 * scales
        guard
            let memory = mmap(
                nil,
                byteCount,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1,
                0
            ), memory != MAP_FAILED
        else {
            throw .unreadable(
                path: tensor.file.path,
                operation: "reserve memory for \(tensor.name)",
                cause: String(cString: strerror(errno))
            )
        }
        madvise(memory, byteCount, Int32(MADV_HUGEPAGE))
        target.weights = UnsafeRawPointer(memory)
        target.scales = UnsafeRawPointer(memory + codes)
        target.biases = UnsafeRawPointer(memory + codes + scales)
        self.memory = memory
        self.tensor = tensor
        repacking = phi_repacking(
            type: tensor.elementType.blockType,
            blocks: tensor.bytes.baseAddress,
            target: target
        )
    }

    deinit {
        munmap(memory, byteCount)
    }

    /// The matrix; zeros before it was repacked.
    var matrix: phi_matrix { repacking.target }

    /// Writes the matrix, with the team's threads, and gives back the memory of the file's pages,
    /// which nobody reads again.
    func repack(_ team: ThreadTeam) {
        let rows = repacking.target.rows
        let count = (rows + Self.portion - 1) / Self.portion
        team.forEachRow(count) { index in
            withUnsafePointer(to: repacking) {
                phi_repack($0, index * Self.portion, min((index + 1) * Self.portion, rows))
            }
        }
        mprotect(memory, byteCount, PROT_READ)
        releasePages()
    }

    private func releasePages() {
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = (tensor.byteRange.lowerBound + pageSize - 1) / pageSize * pageSize
        let end = tensor.byteRange.upperBound / pageSize * pageSize
        guard start < end, let file = tensor.file.bytes.baseAddress else { return }
        madvise(UnsafeMutableRawPointer(mutating: file + start), end - start, Int32(MADV_DONTNEED))
    }

    /// The size of a part of the memory: parts begin at a cache line.
    private static func padded(_ byteCount: Int) -> Int { (byteCount + 63) / 64 * 64 }
}

extension ElementType {
    /// The kernels' type for a type of blocks.
    fileprivate var blockType: phi_block_type {
        switch self {
        case .q4_0: PHI_Q4_0
        case .q4_1: PHI_Q4_1
        case .q5_0: PHI_Q5_0
        case .q5_1: PHI_Q5_1
        case .q8_0: PHI_Q8_0
        case .q4K: PHI_Q4_K
        case .q5K: PHI_Q5_K
        case .q6K: PHI_Q6_K
        default: preconditionFailure("\(rawValue) has no blocks")
        }
    }
}
