// The repacking of a model's weights: once, before they are first used.

public import Checkpoints
import Synchronization

/// The matrices of a model that are repacked.
final class WeightRepacking: Sendable {
    private let matrices: [RepackedMatrix]
    private let isDone: Mutex<Bool>

    init(_ matrices: [RepackedMatrix]) {
        self.matrices = matrices
        isDone = Mutex(matrices.isEmpty)
    }

    /// The size of the memory that they take.
    var byteCount: Int { matrices.reduce(0) { $0 + $1.byteCount } }

    /// Repacks all matrices, unless that was done: then it returns at once. Other callers wait.
    /// - Parameters:
    ///   - threadCount: the number of threads, including the caller's.
    ///   - progress: receives the fraction done, from above 0 to 1.
    func run(threadCount: Int, progress: (Double) -> Void = { _ in }) {
        isDone.withLock { isDone in
            guard !isDone else { return }
            let team = ThreadTeam(threadCount: threadCount)
            let total = byteCount
            var done = 0
            for matrix in matrices {
                matrix.repack(team)
                done += matrix.byteCount
                progress(Double(done) / Double(total))
            }
            isDone = true
        }
    }
}

extension PhiModel {
    /// The size of weights that are not used in place, but were written again in memory: 0 unless a
    /// GGUF file has quantized weights.
    public var repackedByteCount: Int { weights.repacking.byteCount }

    /// The memory that the weights take, in bytes: pages of the files of `checkpoint`, and what is
    /// repacked.
    public func weightByteCount(of checkpoint: Checkpoint) -> Int {
        let isInPlace = { (tensor: Tensor) in !tensor.elementType.isBlocked }
        return checkpoint.tensors.values.lazy.filter(isInPlace)
            .reduce(repackedByteCount) { $0 + $1.byteRange.count }
    }

    /// Repacks the weights of a GGUF file, once; otherwise the first `makeSession` does.
    /// - Parameters:
    ///   - threadCount: the number of threads, including the caller's.
    ///   - progress: receives the fraction done, from above 0 to 1; not called if nothing is left to
    ///     do.
    public func repackWeights(threadCount: Int, progress: (Double) -> Void = { _ in }) {
        weights.repacking.run(threadCount: threadCount, progress: progress)
    }
}
