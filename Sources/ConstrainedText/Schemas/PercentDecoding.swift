// Percent-encoding of fragments (RFC 3986, section 2.1).

/// Decodes percent-encoding.
enum PercentDecoding {
    /// The decoded text; what is malformed stays as it is.
    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let byte = UInt8(
                    String(decoding: bytes[position + 1...position + 2], as: UTF8.self),
                    radix: 16
                )
            {
                decoded.append(byte)
                position += 3
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
