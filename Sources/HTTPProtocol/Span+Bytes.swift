// Searching and comparing bytes with the C library's functions, which look at many at a time, and
// writing texts.

import Glibc

extension Span<UInt8> {
    /// The first place of `byte` from `start` on.
    func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The bytes as UTF-8; others are replaced by U+FFFD.
    var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// Whether both have the same bytes.
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { own in
            other.withUnsafeBytes { other in
                guard let first = own.baseAddress, let second = other.baseAddress else {
                    return true
                }
                return memcmp(first, second, own.count) == 0
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
