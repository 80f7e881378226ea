// Compresses a broadcast message once.

import Deflate

/// Compresses frames once for all connections whose `WebSocketConnection.sharedWindowBits` allow
/// it.
///
/// Each message is compressed without context, so that every peer can decompress it, even with
/// context takeover. It enters the peer's window, but not that of the connection's own compressor,
/// whose next reference would be wrong: call `WebSocketConnection.sharedFramesWereSent` to reset
/// it.
public final class SharedCompressor {
    /// The number of compressed messages.
    package private(set) var messageCount = 0

    private let settings: PerMessageDeflate
    private var deflater: Deflater?

    /// Creates a compressor for windows of 2^`windowBits` bytes, with the levels of `settings`. It
    /// allocates its memory with the first frame and keeps it.
    public init(_ settings: PerMessageDeflate, windowBits: Int) {
        var settings = settings
        settings.windowBits = windowBits
        self.settings = settings
    }

    /// Compresses each of the concatenated `frames` whose size is in range and that becomes
    /// smaller. Nil if there is none: send `frames` unchanged.
    /// - Precondition: `frames` are from `WebSocketFrame.encode`, of text or binary messages.
    public func compress(_ frames: [UInt8]) -> [UInt8]? {
        var compressed: [UInt8]?
        var rest = frames[...]
        while !rest.isEmpty {
            let payload = WebSocketFrame.firstPayload(of: rest)
            if let frame = compress(rest[rest.startIndex], rest[payload]) {
                if compressed == nil { compressed = Array(frames[..<rest.startIndex]) }
                compressed?.append(contentsOf: frame)
            } else {
                compressed?.append(contentsOf: rest[..<payload.upperBound])
            }
            rest = rest[payload.upperBound...]
        }
        return compressed
    }

    /// Compresses the message whose frame starts with the byte `first`; nil if it is not worth it.
    private func compress(_ first: UInt8, _ payload: ArraySlice<UInt8>) -> [UInt8]? {
        guard settings.compresses(byteCount: payload.count),
            let opcode = WebSocketOpcode(rawValue: first & 0xF),
            let deflater = self.deflater ?? settings.makeDeflater()
        else { return nil }
        self.deflater = deflater
        messageCount += 1
        let compressed = deflater.compressMessage(payload)
        deflater.reset()
        guard compressed.count < payload.count else { return nil }
        return WebSocketFrame.encode(opcode, compressed, isCompressed: true)
    }
}
