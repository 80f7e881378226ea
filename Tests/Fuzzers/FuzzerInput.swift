// What libFuzzer hands over: bytes in a buffer of their very length, so that AddressSanitizer
// notices every read beyond it.

/// The input of one run.
struct FuzzerInput {
    private let bytes: UnsafeBufferPointer<UInt8>

    /// The `count` bytes at `start`.
    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = UnsafeBufferPointer(start: start, count: count)
    }

    /// The bytes where they lie.
    var raw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(bytes) }

    /// What stands between bytes 0, at most `countMax` parts: the files of a folder, or the roles
    /// and contents of a conversation.
    func parts(atMost countMax: Int) -> [[UInt8]] {
        bytes.split(separator: 0, maxSplits: countMax - 1, omittingEmptySubsequences: false)
            .map(Array.init)
    }
}

/// A part as text, with U+FFFD for what is ill-formed.
func text(_ part: [UInt8]) -> String { String(decoding: part, as: UTF8.self) }

/// `bytes` in pieces of `count` bytes, as a network might cut them.
func pieces(_ bytes: [UInt8], of count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: count).map { start in
        bytes[start..<min(start + count, bytes.count)]
    }
}
