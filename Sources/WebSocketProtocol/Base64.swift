// Base64 (RFC 4648 section 4) for the handshake: keys of 16 bytes, digests of 20.

/// Encodes base64, and checks that a key is base64.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// `bytes` in base64, padded.
    static func encode(_ bytes: [UInt8]) -> String {
        let digitCount = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: digitCount) { text in
            for place in 0..<digitCount {
                // Six bits from two bytes; those behind the last are 0.
                let first = place * 6 / 8
                guard first < bytes.count else {
                    text[place] = UInt8(ascii: "=")
                    continue
                }
                let second = first + 1 < bytes.count ? bytes[first + 1] : 0
                let bits = UInt16(bytes[first]) << 8 | UInt16(second)
                text[place] = alphabet[Int(bits >> UInt16(10 - place * 6 % 8)) & 63]
            }
            return digitCount
        }
    }

    /// Whether `text` is base64 of 16 bytes: 22 digits and "==".
    static func isSixteenBytes(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasSuffix("==")
            && text.utf8.prefix(22).allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
    }
}
