// SHA-1 (FIPS 180-4 section 6.1), only for the accept key of the WebSocket handshake, which shows
// that the server understood the request. SHA-1 is broken: do not use it for security. These fifty
// lines keep this target free of a cryptographic library.

/// The SHA-1 digest of short messages.
enum SHA1 {
    /// The 20 bytes of the digest.
    static func digest(of message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.reserveCapacity(message.count + 72)
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bitCount = UInt64(message.count) * 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        var hash: InlineArray<5, UInt32> = [
            0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
        ]
        for start in stride(from: 0, to: padded.count, by: 64) {
            add(block: padded.span.extracting(start..<(start + 64)), to: &hash)
        }
        return [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
            for index in 0..<20 {
                digest[index] = UInt8(
                    truncatingIfNeeded: hash[index / 4] >> UInt32(24 - index % 4 * 8)
                )
            }
            count = 20
        }
    }

    private static func add(block: Span<UInt8>, to hash: inout InlineArray<5, UInt32>) {
        var words = InlineArray<80, UInt32>(repeating: 0)
        for index in 0..<64 { words[index / 4] = words[index / 4] << 8 | UInt32(block[index]) }
        for index in 16..<80 {
            words[index] = rotate(
                words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16],
                by: 1
            )
        }
        var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
        func round(_ index: Int, _ mixed: UInt32, _ constant: UInt32) {
            let next = rotate(a, by: 5) &+ mixed &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
        }
        for index in 0..<20 { round(index, (b & c) | (~b & d), 0x5A82_7999) }
        for index in 20..<40 { round(index, b ^ c ^ d, 0x6ED9_EBA1) }
        for index in 40..<60 { round(index, (b & c) | (b & d) | (c & d), 0x8F1B_BCDC) }
        for index in 60..<80 { round(index, b ^ c ^ d, 0xCA62_C1D6) }
        hash[0] &+= a
        hash[1] &+= b
        hash[2] &+= c
        hash[3] &+= d
        hash[4] &+= e
    }

    private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
