// Bytes for many streams: encoded once, queued everywhere, copied nowhere.

/// Immutable bytes that any number of streams can have in their queues at once.
public final class SharedBytes: Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Shares `bytes`.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
