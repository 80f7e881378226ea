// A ZIP archive: its directory, and the content of every file in it.

import JSONText
import Transfers

/// Reads an archive to its end. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readArchive(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let source = BytesInMemory(Array(FuzzerInput(start, count).raw))
    let limits = ArchiveLimits(
        entryCountMax: 100,
        entryByteCountMax: 1 << 20,
        totalByteCountMax: 2 << 20,
        ratioMax: 2000
    )
    do {
        let archive = try ZIPArchive(source, limits: limits)
        precondition(archive.entries.count <= limits.entryCountMax, "too many files")
        var total = 0
        for entry in archive.entries {
            precondition(!entry.name.contains("\0") && !entry.name.hasPrefix("/"), "an unsafe path")
            guard let stream = try? archive.stream(of: entry) else { continue }
            var size = 0
            while let piece = try? stream.next() { size += piece.count }
            precondition(size <= entry.byteCount, "more than the directory says")
            total += size
        }
        precondition(total <= limits.totalByteCountMax, "more than the limit")
    } catch {
        precondition(error is ArchiveError, "an untyped error")
    }
    return 0
}
