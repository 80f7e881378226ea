// Incremental validation of UTF-8. It fails at the first byte after which no continuation would be
// valid (RFC 3629 section 4), so that an invalid message is refused early.

/// Validates UTF-8 across any number of pieces.
struct UTF8Validator {
    private static let anyContinuation: ClosedRange<UInt8> = 0x80...0xBF
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The number of continuation bytes that the current character needs.
    private var missingCount = 0
    /// The range of the next one. After some first bytes it is smaller, which excludes overlong
    /// forms, surrogates and code points above U+10FFFF.
    private var continuation = Self.anyContinuation

    /// Whether the text ends with a complete character.
    var isComplete: Bool { missingCount == 0 }

    /// Whether `bytes` are valid UTF-8.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var validator = UTF8Validator()
        return validator.accept(bytes) && validator.isComplete
    }

    /// Validates the next bytes; false if the text is not UTF-8.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missingCount == 0 {
                index = Self.endOfASCII(in: bytes, from: index)
                guard index < bytes.count else { return true }
            }
            guard accept(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    /// The end of the run of ASCII that begins at `start`, or up to seven bytes before it. Fast
    /// path, since most text is ASCII: 32 bytes at a time, then eight.
    private static func endOfASCII(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        func word(_ index: Int) -> UInt64 {
            bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        }
        var index = start
        while bytes.count - index >= 32,
            (word(index) | word(index + 8) | word(index + 16) | word(index + 24)) & highBits == 0
        {
            index += 32
        }
        while bytes.count - index >= 8, word(index) & highBits == 0 { index += 8 }
        return index
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if missingCount > 0 {
            guard continuation.contains(byte) else { return false }
            missingCount -= 1
            continuation = Self.anyContinuation
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missingCount = 1
        case 0xE0: (missingCount, continuation) = (2, 0xA0...0xBF)
        case 0xED: (missingCount, continuation) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missingCount = 2
        case 0xF0: (missingCount, continuation) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missingCount = 3
        case 0xF4: (missingCount, continuation) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
