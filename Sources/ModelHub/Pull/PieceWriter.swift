// Buffers the bytes of one piece, writes them at their offset and digests them.

import EventLoop

/// Fills one piece of a file. Used on the event loop; `flush` works on a worker thread.
final class PieceWriter {
    /// Write buffer size in bytes.
    private static let bufferBytes = 1 << 20

    let index: Int
    private let blob: PartialBlob
    private let range: Range<Int>
    private let digest = StreamingDigest()
    private var buffer: [UInt8] = []
    private var written = 0

    init(_ blob: PartialBlob, _ index: Int) {
        self.blob = blob
        self.index = index
        range = blob.layout.range(of: index)
    }

    /// The bytes of the file that this piece still lacks.
    var missing: Range<Int> { range.lowerBound + written + buffer.count..<range.upperBound }

    /// The number of bytes received.
    var receivedCount: Int { written + buffer.count }

    /// Whether the buffer should be flushed.
    var isBufferFull: Bool { buffer.count >= Self.bufferBytes }

    /// Appends received bytes, at most as many as are missing.
    func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Writes the buffer; after the piece's last byte, records the piece in the journal.
    func flush(on disk: HubDisk) async throws(HubError) {
        guard !buffer.isEmpty else { return }
        let (bytes, offset, isWhole) = (buffer, range.lowerBound + written, missing.isEmpty)
        let (blob, digest, index) = (blob, digest, index)
        buffer = []
        written += bytes.count
        try await disk.run { () throws(SystemError) in
            try blob.write(bytes, at: offset)
            bytes.withUnsafeBytes { digest.update($0) }
            if isWhole { try blob.finish(index, sha256: digest.finish()) }
        }
    }
}
