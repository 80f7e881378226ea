// Reads and writes a file at offsets, in full, retrying after signals. Blocking.

import EventLoop
import Glibc

enum FileRange {
    /// Read buffer size in bytes.
    private static let bufferBytes = 1 << 20

    /// Writes all of `bytes` at `offset`.
    static func write(
        _ bytes: [UInt8],
        to descriptor: Int32,
        at offset: Int
    ) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            done += try systemCall("write") {
                bytes.withUnsafeBytes {
                    pwrite(
                        descriptor,
                        $0.baseAddress.map { $0 + done },
                        $0.count - done,
                        off_t(offset + done)
                    )
                }
            }
        }
    }

    /// Reads `range` and calls `take` with consecutive parts.
    /// - Throws: also if the file ends before the range does.
    static func read(
        _ descriptor: Int32,
        _ range: Range<Int>,
        _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(bufferBytes, max(range.count, 1)),
            alignment: 16
        )
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = min(buffer.count, range.upperBound - offset)
            let count = try systemCall("read") {
                pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            }
            guard count > 0 else {
                throw SystemError(errno: EIO, operation: "read: the file ends early")
            }
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }

    /// The file's content.
    /// - Throws: `EFBIG` if it has more than `limit` bytes.
    static func readAll(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        let size = try byteCount(descriptor)
        guard size <= limit else { throw SystemError(errno: EFBIG, operation: "read") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        try read(descriptor, 0..<size) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// The file's size.
    static func byteCount(_ descriptor: Int32) throws(SystemError) -> Int {
        var status = stat()
        try systemCall("fstat") { fstat(descriptor, &status) }
        return Int(status.st_size)
    }
}
