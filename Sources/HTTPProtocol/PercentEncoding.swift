// Percent-encoding, RFC 3986 section 2.1.

/// Encoding and decoding of "%41".
public enum PercentEncoding {
    /// Decodes a text; nil if an escape is malformed or the bytes are not UTF-8. Wrong escapes are
    /// never kept: the next reader might interpret them differently. With `plusIsSpace`, "+" is a
    /// space, as in queries and forms.
    public static func decode(_ encoded: some StringProtocol, plusIsSpace: Bool = false) -> String?
    {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.utf8.count)
        var rest = encoded.utf8.makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next().flatMap(CharacterClass.hexadecimalValue),
                    let low = rest.next().flatMap(CharacterClass.hexadecimalValue)
                else { return nil }
                bytes.append(high << 4 | low)
            } else {
                let isSpace = plusIsSpace && byte == UInt8(ascii: "+")
                bytes.append(isSpace ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Encodes a path segment, query name or query value: everything but letters, digits, "-", ".",
    /// "_" and "~" is escaped.
    public static func encode(_ text: String) -> String {
        encode(text) { byte in
            CharacterClass.isAlphanumeric(byte) || "-._~".utf8.contains(byte)
        }
    }

    /// Escapes the invalid bytes of a whole target, so that it cannot end the request line. An
    /// empty target becomes "/".
    static func encodeTarget(_ target: String) -> String {
        target.isEmpty ? "/" : encode(target, keeping: CharacterClass.isTarget)
    }

    private static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        guard !text.utf8.allSatisfy(isKept) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 0xF)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
