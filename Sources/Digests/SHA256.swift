// SHA-256 in Swift, for texts and small files: the engine links no library besides the toolchain's,
// and other callers avoid OpenSSL's pointers. Its running time depends on the length of the input.
// Downloads of gigabytes are hashed by OpenSSL, which uses the processor's SHA instructions.

/// The 256-bit digest of the Secure Hash Standard (FIPS 180-4), computed incrementally.
public struct SHA256 {
    /// The current hash value: eight words.
    private var words: [8 of UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
        0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    /// The bytes after the last whole block.
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0

    private static let blockByteCount = 64

    /// Creates a hash of no bytes.
    public init() {
        pending.reserveCapacity(Self.blockByteCount)
    }

    /// The digest of `bytes`.
    public static func digest(of bytes: some Sequence<UInt8>) -> SHA256Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// The digest of a text's UTF-8 bytes.
    public static func digest(of text: String) -> SHA256Digest {
        digest(of: text.utf8)
    }

    /// Adds `bytes` to the hash.
    public mutating func update(_ bytes: some Sequence<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable {
            update(UnsafeRawBufferPointer($0))
        }
        if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }

    /// Adds `bytes` to the hash. The buffer need not outlive the call.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        byteCount &+= UInt64(bytes.count)
        var rest = bytes[...]
        if !pending.isEmpty {
            let part = rest.prefix(Self.blockByteCount - pending.count)
            pending += part
            rest = rest.dropFirst(part.count)
            guard pending.count == Self.blockByteCount else { return }
            pending.withUnsafeBytes { compress($0) }
            pending.removeAll(keepingCapacity: true)
        }
        let blocks = rest.count & ~(Self.blockByteCount - 1)
        compress(UnsafeRawBufferPointer(rebasing: rest.prefix(blocks)))
        pending += rest.dropFirst(blocks)
    }

    /// Returns the digest of all bytes added.
    public consuming func finish() -> SHA256Digest {
        let bitCount = byteCount &* 8
        let padding = (Self.blockByteCount + 55 - pending.count) % Self.blockByteCount
        var end = [0x80] + [UInt8](repeating: 0, count: padding)
        for shift in stride(from: 56, through: 0, by: -8) {
            end.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        end.withUnsafeBytes { update($0) }
        var bytes: [UInt8] = []
        for index in words.indices {
            for shift in stride(from: 24, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: words[index] >> UInt32(shift)))
            }
        }
        return SHA256Digest(bytes: bytes)
    }

    /// FIPS 180-4, section 6.2.2, for each block of `blocks`, whose count is a multiple of 64.
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        for start in stride(from: 0, to: blocks.count, by: Self.blockByteCount) {
            // The last sixteen words of the message schedule, in a ring.
            var schedule = [16 of UInt32](repeating: 0)
            for index in schedule.indices {
                let word = blocks.loadUnaligned(
                    fromByteOffset: start + 4 * index,
                    as: UInt32.self
                )
                schedule[index] = UInt32(bigEndian: word)
            }
            compress(&schedule)
        }
    }

    private mutating func compress(_ schedule: inout [16 of UInt32]) {
        var a = words[0], b = words[1], c = words[2], d = words[3]
        var e = words[4], f = words[5], g = words[6], h = words[7]
        for round in 0..<64 {
            if round >= 16 {
                let early = schedule[(round &+ 1) & 15]
                let late = schedule[(round &+ 14) & 15]
                let sigma0 = Self.rotate(early, 7) ^ Self.rotate(early, 18) ^ (early >> 3)
                let sigma1 = Self.rotate(late, 17) ^ Self.rotate(late, 19) ^ (late >> 10)
                schedule[round & 15] &+= sigma0 &+ schedule[(round &+ 9) & 15] &+ sigma1
            }
            let sum1 = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ Self.constants[round] &+ schedule[round & 15]
            let sum0 = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
        }
        words[0] &+= a
        words[1] &+= b
        words[2] &+= c
        words[3] &+= d
        words[4] &+= e
        words[5] &+= f
        words[6] &+= g
        words[7] &+= h
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }

    /// Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
    /// primes.
    private static let constants: [64 of UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
        0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
        0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
        0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
        0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
        0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
        0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
        0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
        0xC671_78F2,
    ]
}
