// A file that must be complete before it is read, since the directory of a ZIP archive is at its
// end. It is an unnamed file in the temporary folder, so that nothing is left behind.

import ChatProtocol
import FoundationEssentials
import Glibc
import Synchronization
import Transfers

/// A file that no other process can open, deleted with the last reference to it. Its functions
/// block: call them off the loop, one at a time.
final class SpooledFile: RandomAccessBytes {
    private let descriptor: Int32
    private let written = Atomic<Int>(0)
    private let isGivenUp = Atomic<Bool>(false)

    /// Creates an empty file.
    /// - Throws: `WireError.unavailable` if the disk is full.
    init() throws(WireError) {
        let path = "\(Self.folder)/stoa-import-\(UUID().uuidString)"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.noRoom }
        unlink(path)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    var byteCount: Int64 { Int64(written.load(ordering: .acquiring)) }

    /// Appends bytes.
    /// - Throws: `WireError.unavailable` if the disk is full.
    func append(_ bytes: [UInt8]) throws(WireError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = written.load(ordering: .acquiring)
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, end) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.noRoom }
            written.store(end + count, ordering: .releasing)
            rest = rest.dropFirst(count)
        }
    }

    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        guard !isGivenUp.load(ordering: .acquiring) else { throw CancellationError() }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, Int(offset))
        guard read >= 0 else { throw TransferError.unreadable("errno \(errno)") }
        return Array(bytes[..<read])
    }

    /// Makes reads fail from now on. Callable from any thread.
    func giveUp() { isGivenUp.store(true, ordering: .releasing) }

    private static var noRoom: WireError {
        WireError(.unavailable, "the server's disk has no room for the file", retryAfter: 60)
    }

    /// `TMPDIR`, or the folder for large temporary files: `/tmp` may be in memory.
    private static let folder: String = {
        let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        return named.isEmpty ? "/var/tmp" : named
    }()
}
