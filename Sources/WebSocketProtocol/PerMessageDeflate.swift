// Settings of permessage-deflate (RFC 7692).

/// The compression of a connection in both directions: the preferences of this side before the
/// handshake, the negotiated settings after it.
///
/// Sending takes 2^(`windowBits` + 2) + 2^(`memoryLevel` + 9) bytes and about 6 KiB, receiving
/// 2^`peerWindowBits` bytes and about 7 KiB: 262 and 39 KiB with the defaults. The memory is
/// allocated with the first compressed message in a direction; without context takeover it is freed
/// after each message, so idle connections hold none.
public struct PerMessageDeflate: Sendable, Hashable {
    // In few bytes, since each connection has a copy.
    private let storedByteCounts: ClosedRange<UInt32>
    private let storedLevel, storedMemoryLevel: UInt8
    private var storedWindowBits, storedPeerWindowBits: UInt8
    /// Whether sent messages may refer to earlier ones (context takeover).
    public internal(set) var keepsContext: Bool
    /// Whether received messages may refer to earlier ones.
    public internal(set) var peerKeepsContext: Bool

    /// Creates preferences. The peer may require smaller windows and no context takeover.
    /// - Precondition: the numbers are in the ranges of the properties.
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
        storedByteCounts = UInt32(byteCounts.lowerBound)...UInt32(byteCounts.upperBound)
        storedLevel = UInt8(level)
        storedMemoryLevel = UInt8(memoryLevel)
        storedWindowBits = UInt8(windowBits)
        storedPeerWindowBits = UInt8(peerWindowBits)
        self.keepsContext = keepsContext
        self.peerKeepsContext = peerKeepsContext
    }

    /// Compression level: 1 (fastest) to 9 (smallest).
    public var level: Int { Int(storedLevel) }

    /// Memory level of the compressor: 1 to 9.
    public var memoryLevel: Int { Int(storedMemoryLevel) }

    /// Sizes in bytes of messages to compress, within 1 to 1 GiB. Others are sent uncompressed.
    public var byteCounts: ClosedRange<Int> {
        Int(storedByteCounts.lowerBound)...Int(storedByteCounts.upperBound)
    }

    /// Base 2 logarithm of the window for sent messages: 9 to 15. The peer may require 8, which
    /// zlib does not support; then nothing is compressed.
    public internal(set) var windowBits: Int {
        get { Int(storedWindowBits) }
        set { storedWindowBits = UInt8(newValue) }
    }

    /// Base 2 logarithm of the window for received messages: 8 to 15.
    public internal(set) var peerWindowBits: Int {
        get { Int(storedPeerWindowBits) }
        set { storedPeerWindowBits = UInt8(newValue) }
    }

    /// The smallest window that zlib supports for raw deflate.
    static let windowBitsMin = 9

    /// Whether a message of this size is compressed.
    func compresses(byteCount: Int) -> Bool {
        windowBits >= Self.windowBitsMin && byteCounts.contains(byteCount)
    }
}
