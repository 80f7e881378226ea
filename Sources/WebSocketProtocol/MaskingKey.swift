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

    /// Masks or unmasks `bytes` in place, eight at a time. They begin at `offset` of the frame's
    /// payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        let shift = UInt32(offset % 4 * 8)
        let turned = UInt64(shift == 0 ? word : word >> shift | word << (32 - shift))
        let pattern = turned | turned << 32
        var index = 0
        while index + 8 <= bytes.count {
            let block = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: block ^ pattern.littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: pattern >> UInt64(index % 8 * 8))
            index += 1
        }
    }
}
