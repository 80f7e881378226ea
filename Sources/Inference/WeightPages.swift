// Brings the weights from the disk into memory before the first answer has to wait for them, and
// tells how far that is. The mapping itself takes no time: without this, a first token would wait
// for seconds, and nobody could say for how long.

import Checkpoints
import Glibc

/// The pages of a checkpoint's files.
enum WeightPages {
    /// `MADV_POPULATE_READ` of Linux 5.14 and later; older C headers do not name it.
    private static let populateRead: Int32 = 22
    /// Bytes between two calls of `progress`; a multiple of every page size.
    private static let portion = 32 << 20

    /// Reads all pages of `checkpoint` once.
    ///
    /// Only a hint: on a system that cannot do it, the pages come when they are first used.
    /// - Parameters:
    ///   - checkpoint: the very one that the model was made of, whose mappings the model uses: the
    ///     first answer then finds its pages in place.
    ///   - progress: gets the share that is read, from above 0 to 1.
    static func read(_ checkpoint: Checkpoint, progress: (Double) -> Void) {
        var files: [String: MappedFile] = [:]
        for tensor in checkpoint.tensors.values { files[tensor.file.path] = tensor.file }
        let total = files.values.reduce(0) { $0 + $1.bytes.count }
        var done = 0
        for (_, file) in files.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: file.bytes.count, by: portion) {
                let count = min(portion, file.bytes.count - start)
                guard let base = file.bytes.baseAddress else { continue }
                let address = UnsafeMutableRawPointer(mutating: base + start)
                if madvise(address, count, populateRead) != 0 {
                    madvise(address, count, Int32(MADV_WILLNEED))
                }
                done += count
                progress(Double(done) / Double(total))
            }
        }
    }
}
