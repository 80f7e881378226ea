// SHA-1 (FIPS 180-4 section 6.1), only for the accept key of the WebSocket handshake, which shows
// that the server understood the request. SHA-1 is broken: do not use it for security. These fifty
// lines keep this target free of a cryptographic library.

/// The SHA-1 digest of short messages.
enum SHA1 {
    /// The 20 bytes of the digest.
    static func digest(of message: [UInt8]) -> [UInt8] {
        // A one bit, zeros, and the number of bits in eight bytes fill the last block.
        let byteCount = (message.count + 9 + 63) / 64 * 64
        var padded = message
        padded.reserveCapacity(byteCount)
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: byteCount - message.count - 1))
        let bitCount = UInt64(message.count) * 8
        padded.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: bitCount.bigEndian, toByteOffset: byteCount - 8, as: UInt64.self)
        }
        var hash: InlineArray<5, UInt32> = [
            0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
        ]
        padded.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: byteCount, by: 64) {
                add(block: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + 64)]), to: &hash)
            }
        }
        return [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
            for index in 0..<5 {
                UnsafeMutableRawBufferPointer(digest).storeBytes(
                    of: hash[index].bigEndian,
                    toByteOffset: 4 * index,
                    as: UInt32.self
                )
            }
            count = 20
        }
    }

    private static func add(block: UnsafeRawBufferPointer, to hash: inout InlineArray<5, UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
            for index in 0..<16 {
                let word = block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
                words.initializeElement(at: index, to: UInt32(bigEndian: word))
            }
            for index in 16..<80 {
                let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14]
                words.initializeElement(at: index, to: rotate(mixed ^ words[index - 16], by: 1))
            }
            var state = State(hash)
            state.mix(words[0..<20], 0x5A82_7999) { ($0 & $1) | (~$0 & $2) }
            state.mix(words[20..<40], 0x6ED9_EBA1) { $0 ^ $1 ^ $2 }
            state.mix(words[40..<60], 0x8F1B_BCDC) { ($0 & $1) | ($0 & $2) | ($1 & $2) }
            state.mix(words[60..<80], 0xCA62_C1D6) { $0 ^ $1 ^ $2 }
            hash[0] &+= state.a
            hash[1] &+= state.b
            hash[2] &+= state.c
            hash[3] &+= state.d
            hash[4] &+= state.e
        }
    }

    /// The five words that the rounds of a block change.
    private struct State {
        var a, b, c, d, e: UInt32

        init(_ hash: InlineArray<5, UInt32>) {
            (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
        }

        /// Twenty rounds. Five at a time, after which each word is where it was.
        @inline(__always)
        mutating func mix(
            _ words: Slice<UnsafeMutableBufferPointer<UInt32>>,
            _ constant: UInt32,
            _ choose: (UInt32, UInt32, UInt32) -> UInt32
        ) {
            for index in stride(from: words.startIndex, to: words.endIndex, by: 5) {
                e &+= rotate(a, by: 5) &+ choose(b, c, d) &+ constant &+ words[index]
                b = rotate(b, by: 30)
                d &+= rotate(e, by: 5) &+ choose(a, b, c) &+ constant &+ words[index + 1]
                a = rotate(a, by: 30)
                c &+= rotate(d, by: 5) &+ choose(e, a, b) &+ constant &+ words[index + 2]
                e = rotate(e, by: 30)
                b &+= rotate(c, by: 5) &+ choose(d, e, a) &+ constant &+ words[index + 3]
                d = rotate(d, by: 30)
                a &+= rotate(b, by: 5) &+ choose(c, d, e) &+ constant &+ words[index + 4]
                c = rotate(c, by: 30)
            }
        }
    }

    private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word &<< count | word &>> (32 - count)
    }
}
