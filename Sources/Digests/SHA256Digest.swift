// A SHA-256 digest.

/// A SHA-256 digest: 256 bits.
public struct SHA256Digest: Sendable, Hashable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal digits.
    public var hexadecimal: String { Hexadecimal.text(bytes) }
}
