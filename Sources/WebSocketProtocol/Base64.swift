// Base64 (RFC 4648 section 4) for the handshake: keys of 16 bytes, digests of 20.

/// Encodes base64, and checks that a key is base64.
enum Base64 {
    /// `bytes` in base64, padded.
    static func encode(_ bytes: [UInt8]) -> String {
        let digitCount = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: digitCount) { text in
            var place = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                // Four digits from three bytes; those behind the last are 0.
                var bits: UInt32 = 0
                for index in start..<(start + 3) {
                    bits = bits << 8 | (index < bytes.count ? UInt32(bytes[index]) : 0)
                }
                for _ in 0..<4 {
                    text[place] = digit(UInt8(bits >> 18 & 63))
                    bits <<= 6
                    place += 1
                }
            }
            for missing in 0..<((3 - bytes.count % 3) % 3) {
                text[digitCount - 1 - missing] = UInt8(ascii: "=")
            }
            return digitCount
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case ..<26: UInt8(ascii: "A") + value
        case ..<52: UInt8(ascii: "a") + value - 26
        case ..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    /// Whether `text` is base64 of 16 bytes: 22 digits and "==".
    static func isSixteenBytes(_ text: String) -> Bool {
        let bytes = text.utf8.span
        return bytes.count == 24 && bytes[22] == UInt8(ascii: "=") && bytes[23] == bytes[22]
            && (0..<22).allSatisfy { isDigit(bytes[$0]) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
    }
}
