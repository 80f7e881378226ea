// Hashing for tables that are filled from files: faster on short texts than Swift's Hasher, which
// takes much of the time to load a large tokenizer.

/// A hash of bytes, seeded per process so that no file can be crafted to cause collisions.
package enum ByteHash {
    private static let seed = UInt64.random(in: .min ... .max)
    private static let multiplier = UInt64.random(in: .min ... .max) | 1

    /// The hash of `bytes`; all bits are well mixed.
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

    /// Combines both halves of the 128-bit product, so that each bit of `value` affects all others.
    private static func fold(_ value: UInt64, _ multiplier: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: multiplier)
        return product.high ^ product.low
    }
}
