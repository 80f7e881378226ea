// Reads the primitive values of a GGUF file one after the other. Every length is compared with what
// is left of the file before it is used.

/// A position in a file's bytes. Numbers are little-endian, at any alignment.
struct GGUFCursor {
    let bytes: UnsafeRawBufferPointer
    let path: String
    private(set) var offset = 0

    /// The bytes after the position.
    var rest: Int { bytes.count - offset }

    /// Moves over `count` bytes, which are `what`, and returns their range.
    mutating func skip(_ count: Int, _ what: String) throws(CheckpointError) -> Range<Int> {
        guard (0...rest).contains(count) else {
            throw damaged("\(what) is cut off at byte \(bytes.count)")
        }
        defer { offset += count }
        return offset..<offset + count
    }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _: Number.Type,
        _ what: String
    ) throws(CheckpointError) -> Number {
        let range = try skip(MemoryLayout<Number>.size, what)
        return Number(
            littleEndian: bytes.loadUnaligned(
                fromByteOffset: range.lowerBound,
                as: Number.self
            )
        )
    }

    /// A length or a number of things, each of which takes at least `size` bytes of the file.
    mutating func count(
        of size: Int,
        max: Int = .max,
        _ what: String
    ) throws(CheckpointError) -> Int {
        let number = try number(UInt64.self, what)
        guard number <= UInt64(Swift.min(rest / size, max)) else {
            throw damaged("\(what) \(number) is too large")
        }
        return Int(number)
    }

    /// The range of a string: its length in 64 bits, and its bytes.
    mutating func string(
        byteCountMax: Int = .max,
        _ what: String
    ) throws(CheckpointError) -> Range<Int> {
        let count = try count(of: 1, max: byteCountMax, "the length of \(what)")
        return try skip(count, what)
    }

    func damaged(_ reason: String, tensor: String? = nil) -> CheckpointError {
        .malformedWeights(path: path, tensor: tensor, reason: reason)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes of `range` as text; ill-formed UTF-8 becomes U+FFFD.
    func text(_ range: Range<Int>) -> String { String(decoding: self[range], as: UTF8.self) }
}
