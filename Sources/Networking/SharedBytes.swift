// Bytes for many streams: encoded once and queued without a copy.

/// Immutable bytes that can be in the queues of any number of streams.
public final class SharedBytes: Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Shares `bytes`.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
