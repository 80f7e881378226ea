// libFuzzer's input: bytes in a buffer of exactly their length, so that AddressSanitizer detects
// every read beyond it.

/// The input of one run.
struct FuzzerInput {
    private let bytes: UnsafeBufferPointer<UInt8>

    /// The `count` bytes at `start`.
    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = UnsafeBufferPointer(start: start, count: count)
    }

    /// The bytes, not copied.
    var raw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(bytes) }

    /// The parts between zero bytes, at most `countMax`: the files of a folder, or the roles and
    /// contents of a conversation.
    func parts(atMost countMax: Int) -> [[UInt8]] {
        bytes.split(separator: 0, maxSplits: countMax - 1, omittingEmptySubsequences: false)
            .map(Array.init)
    }
}

/// A part as text; ill-formed UTF-8 becomes U+FFFD.
func text(_ part: [UInt8]) -> String { String(decoding: part, as: UTF8.self) }

/// Splits `bytes` into pieces of `count` bytes.
func pieces(_ bytes: [UInt8], of count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: count).map { start in
        bytes[start..<min(start + count, bytes.count)]
    }
}
