// Searching and comparing bytes, eight at a time, and writing texts.

extension Span<UInt8> {
    /// The first place of `byte` from `start` on.
    func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        let lowBits: UInt64 = 0x0101_0101_0101_0101
        let pattern = UInt64(byte) &* lowBits
        return withUnsafeBytes { bytes in
            var index = start
            while bytes.count - index >= 8 {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // The lowest high bit that is set is in the first byte that is 0.
                let differences = UInt64(littleEndian: word) ^ pattern
                let zeros = (differences &- lowBits) & ~differences & (lowBits << 7)
                if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
                index += 8
            }
            while index < bytes.count {
                if bytes[index] == byte { return index }
                index += 1
            }
            return nil
        }
    }

    /// The bytes as UTF-8; others are replaced by U+FFFD.
    var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// Whether both have the same bytes.
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { own in
            other.withUnsafeBytes { other in
                var index = 0
                while own.count - index >= 8 {
                    let word = own.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    guard word == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else {
                        return false
                    }
                    index += 8
                }
                return own[index...].elementsEqual(other[index...])
            }
        }
    }
}

extension [UInt8] {
    /// Appends the UTF-8 of `text`, all at once.
    package mutating func append(text: String) {
        text.utf8.span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// Appends CR and LF.
    mutating func appendLineEnd() {
        append(UInt8(ascii: "\r"))
        append(UInt8(ascii: "\n"))
    }
}
