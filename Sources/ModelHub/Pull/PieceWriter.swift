// Collects the bytes of one piece, writes them at their place and digests them on the way.

import EventLoop

/// Fills one piece of a file. Lives on the loop; `flush` works on a worker's thread.
final class PieceWriter {
    /// How much is collected before it is written.
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

    /// The bytes of the file that are still to come.
    var missing: Range<Int> { range.lowerBound + written + buffer.count..<range.upperBound }

    /// How many bytes have come.
    var receivedCount: Int { written + buffer.count }

    /// Whether enough has come to be written.
    var isBufferFull: Bool { buffer.count >= Self.bufferBytes }

    /// Takes the next bytes, no more than are missing.
    func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Writes what has come; after the piece's last byte, notes that it is there.
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
