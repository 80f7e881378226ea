// GPT-2's mapping of bytes to printable characters, used in byte-level vocabularies: "Ġ" is a
// space.

/// The 256 scalars that stand for bytes.
enum ByteAlphabet {
    /// The scalar of each byte: printable Latin-1 characters map to themselves, the other 68 bytes
    /// to U+0100, U+0101 and so on, in order.
    static let scalars: [Unicode.Scalar] = {
        var next = UInt16(0x100)
        return (UInt8.min ... .max).map { byte in
            switch byte {
            case 33...126, 161...172, 174...255:
                return Unicode.Scalar(byte)
            default:
                defer { next += 1 }
                return Unicode.Scalar(next) ?? "?"
            }
        }
    }()

    /// The byte of each scalar, indexed by scalar.
    private static let bytes: [UInt8?] = {
        var bytes = [UInt8?](repeating: nil, count: 0x144)
        for (byte, scalar) in zip(UInt8.min ... .max, scalars) { bytes[Int(scalar.value)] = byte }
        return bytes
    }()

    /// Decodes `text`; its UTF-8 bytes if it is not in this alphabet.
    static func decode(_ text: String) -> [UInt8] {
        let bytes = bytes
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard scalar.value < bytes.count, let byte = bytes[Int(scalar.value)] else {
                return Array(text.utf8)
            }
            decoded.append(byte)
        }
        return decoded
    }
}
