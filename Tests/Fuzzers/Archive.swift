// A ZIP archive: its directory, and every file in it unpacked.

import Transfers

/// Reads an archive to its end. What libFuzzer calls for each input.
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
            precondition(!entry.name.contains("\0") && !entry.name.hasPrefix("/"), "a trick")
            guard let stream = try? archive.stream(of: entry) else { continue }
            var size = 0
            while let piece = try? stream.next() { size += piece.count }
            precondition(size <= entry.byteCount, "more than was promised")
            total += size
        }
        precondition(total <= limits.totalByteCountMax, "more than the limit")
    } catch {
        precondition(error is ArchiveError, "an error that says what can be done")
    }
    return 0
}
