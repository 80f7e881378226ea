// Masking, RFC 6455 section 5.3: a client's payloads are XORed with four bytes, over and over.

/// The key of one masked frame.
package struct MaskingKey: Sendable, Hashable {
    /// The four bytes, the first in the lowest bits.
    private let word: UInt32

    /// The key whose first byte on the wire is in the lowest bits of `word`.
    package init(word: UInt32) { self.word = word }

    /// The bytes as they stand on the wire.
    var bytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) }
    }

    /// Masks or unmasks `bytes` in place. They begin at `offset` of the frame's payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        guard let start = bytes.baseAddress else { return }
        let shift = UInt32(offset % 4 * 8)
        let turned = UInt64(shift == 0 ? word : word >> shift | word << (32 - shift))
        let pattern = turned | turned << 32
        // Eight bytes at a time. No step can fail or leave the loop early, so that the compiler makes
        // vectors of it.
        let wordCount = bytes.count / 8
        for index in 0..<wordCount {
            let place = start + index &* 8
            let block = place.loadUnaligned(as: UInt64.self) ^ pattern.littleEndian
            place.storeBytes(of: block, as: UInt64.self)
        }
        for index in wordCount * 8..<bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: pattern >> UInt64(index % 8 * 8))
        }
    }
}
