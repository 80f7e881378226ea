// Reads the weights from disk into memory before the first answer, and reports the progress.
// Mapping itself takes no time: without this, the first token would wait for seconds without any
// indication.

import Checkpoints
import Glibc

/// The pages of a checkpoint's files.
enum WeightPages {
    /// `MADV_POPULATE_READ` of Linux 5.14; older C headers do not define it.
    private static let populateRead: Int32 = 22
    /// Bytes between two calls of `progress`; a multiple of every page size.
    private static let portion = 32 << 20

    /// Reads all pages of `checkpoint` once.
    ///
    /// Only a hint: without support by the system, pages are read on first use.
    /// - Parameters:
    ///   - checkpoint: the checkpoint of the model, whose mappings the model uses, so that the
    ///     first answer finds its pages.
    ///   - progress: receives the fraction read, from above 0 to 1.
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
