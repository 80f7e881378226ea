// What one side wants of permessage-deflate (RFC 7692), and what of that was agreed on.

/// How messages are compressed on a connection, both ways: before the handshake what this side wants,
/// after it what was agreed on.
///
/// Memory for what is sent: 2^(`windowBits` + 2) + 2^(`memoryLevel` + 9) bytes and about 6 KiB. For what
/// is received: 2^`peerWindowBits` bytes and about 7 KiB. Either is made with the first compressed
/// message; where its side keeps no context it is given back after each message, so that a connection
/// on which nothing moves holds none. With what is preset and context kept that is 262 and 39 KiB.
public struct PerMessageDeflate: Sendable, Hashable {
    /// How hard it tries: 1 is the fastest, 9 makes the least.
    public let level: Int
    /// How much memory sending takes: 1 to 9.
    public let memoryLevel: Int
    /// How long a message is that is compressed, in bytes: 1 to 1 GiB. Others are sent as they are.
    public let byteCounts: ClosedRange<Int>
    /// How far back what we send refers, as a power of two: 9 to 15. The peer may ask a client for 8,
    /// which zlib cannot do; then nothing is compressed.
    public internal(set) var windowBits: Int
    /// Whether what we send refers to earlier messages.
    public internal(set) var keepsContext: Bool
    /// How far back what we receive may refer: 8 to 15.
    public internal(set) var peerWindowBits: Int
    /// Whether what we receive may refer to earlier messages.
    public internal(set) var peerKeepsContext: Bool

    /// What this side wants. The peer may ask for less of windows and context.
    /// - Precondition: numbers are in the ranges that stand with the properties.
    public init(
        level: Int = 6,
        memoryLevel: Int = 8,
        byteCounts: ClosedRange<Int> = 64...(64 << 20),
        windowBits: Int = 15,
        keepsContext: Bool = true,
        peerWindowBits: Int = 15,
        peerKeepsContext: Bool = true
    ) {
        precondition((1...9).contains(level) && (1...9).contains(memoryLevel))
        precondition(byteCounts.lowerBound > 0 && byteCounts.upperBound <= 1 << 30)
        precondition((Self.windowBitsMin...15).contains(windowBits))
        precondition((8...15).contains(peerWindowBits))
        self.level = level
        self.memoryLevel = memoryLevel
        self.byteCounts = byteCounts
        self.windowBits = windowBits
        self.keepsContext = keepsContext
        self.peerWindowBits = peerWindowBits
        self.peerKeepsContext = peerKeepsContext
    }

    /// The smallest window that zlib compresses bare deflate with.
    static let windowBitsMin = 9

    /// Whether a message of so many bytes is compressed.
    func compresses(byteCount: Int) -> Bool {
        windowBits >= Self.windowBitsMin && byteCounts.contains(byteCount)
    }
}
