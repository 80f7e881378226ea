// Hashing for tables that are filled from files: quicker on short texts than Swift's Hasher, which
// the large tokenizers spend much of their loading time in.

/// A hash of bytes, seeded per process so that a file cannot be made to collide.
package enum ByteHash {
    private static let seed = UInt64.random(in: .min ... .max)
    private static let multiplier = UInt64.random(in: .min ... .max) | 1

    /// The hash of `bytes`; all its bits are good.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let multiplier = multiplier
        var hash = fold(seed ^ UInt64(bytes.count), multiplier)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = fold(
                hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                multiplier
            )
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return fold(hash ^ rest, multiplier)
    }

    /// Both halves of the 128-bit product, joined: each bit of `value` reaches all others.
    private static func fold(_ value: UInt64, _ multiplier: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: multiplier)
        return product.high ^ product.low
    }
}
