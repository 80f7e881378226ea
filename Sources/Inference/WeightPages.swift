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

    /// Reads the pages of all tensors of `checkpoint` once. Other parts of the files, such as a
    /// multimodal model's encoders, are not read.
    ///
    /// Only a hint: without support by the system, pages are read on first use.
    /// - Parameters:
    ///   - checkpoint: the checkpoint of the model, whose mappings the model uses, so that the
    ///     first answer finds its pages.
    ///   - progress: receives the fraction read, from above 0 to 1.
    static func read(_ checkpoint: Checkpoint, progress: (Double) -> Void) {
        let parts = parts(of: checkpoint)
        let total = parts.reduce(0) { $0 + $1.bytes.count }
        var done = 0
        for (file, range) in parts {
            for start in stride(from: range.lowerBound, to: range.upperBound, by: portion) {
                let count = min(portion, range.upperBound - start)
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

    /// The parts of the files that have tensors, in their order; each begins with a page.
    private static func parts(
        of checkpoint: Checkpoint
    ) -> [(file: MappedFile, bytes: Range<Int>)] {
        let pageSize = Int(getpagesize())
        var files: [String: (file: MappedFile, bytes: RangeSet<Int>)] = [:]
        for tensor in checkpoint.tensors.values {
            let bytes = tensor.byteRange
            let end = (bytes.upperBound + pageSize - 1) / pageSize * pageSize
            files[tensor.file.path, default: (tensor.file, RangeSet())].bytes.insert(
                contentsOf: bytes.lowerBound / pageSize
                    * pageSize..<min(end, tensor.file.bytes.count)
            )
        }
        return files.sorted { $0.key < $1.key }.flatMap { _, part in
            part.bytes.ranges.map { (part.file, $0) }
        }
    }
}
