// Masking, RFC 6455 section 5.3: a client's payload is XORed with a repeated key of four bytes.

/// The masking key of a frame.
package struct MaskingKey: Sendable, Hashable {
    /// The key as a little-endian number.
    private let word: UInt32

    /// Creates a key from a little-endian number.
    package init(word: UInt32) { self.word = word }

    /// The bytes in wire order.
    var bytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) }
    }

    /// Masks or unmasks `bytes` in place. `offset` is their position in the frame's payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        guard let start = bytes.baseAddress else { return }
        let shift = UInt32(offset % 4 * 8)
        let rotated = UInt64(shift == 0 ? word : word >> shift | word << (32 - shift))
        let pattern = rotated | rotated << 32
        // Eight bytes at a time, without traps or early exits, so that the compiler vectorizes the
        // loop.
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
