// A message for many connections is compressed once, too.

import Deflate

/// Compresses frames for all connections whose `WebSocketConnection.sharedWindowBits` allow it.
///
/// Each message is packed by itself and refers to nothing before it, which every peer can unpack, also one
/// that keeps context. Its bytes enter the peer's window then, and not that of the connection's own
/// compressor, whose next reference would go astray: `WebSocketConnection.sharedFramesWereSent` has
/// that one begin anew.
public final class SharedCompressor {
    /// How many messages were compressed.
    package private(set) var messageCount = 0

    private let settings: PerMessageDeflate
    private var deflater: Deflater?

    /// A compressor for windows of 2^`windowBits` bytes. Level and memory are those of `settings`; it
    /// takes the memory with the first frame, and keeps it.
    public init(_ settings: PerMessageDeflate, windowBits: Int) {
        var settings = settings
        settings.windowBits = windowBits
        self.settings = settings
    }

    /// `frames`, one after the other, with each compressed that is neither too short nor too long, and
    /// becomes shorter by it. Nil: that is none, and they are sent as they are.
    /// - Precondition: they are what `WebSocketFrame.encode` makes of text or binary messages.
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

    /// The compressed frame of the message whose frame begins with the byte `first`.
    private func compress(_ first: UInt8, _ payload: ArraySlice<UInt8>) -> [UInt8]? {
        guard settings.compresses(byteCount: payload.count),
            let opcode = WebSocketOpcode(rawValue: first & 0xF),
            let deflater = self.deflater ?? settings.makeDeflater()
        else { return nil }
        self.deflater = deflater
        messageCount += 1
        let packed = deflater.packMessage(payload)
        deflater.forget()
        guard packed.count < payload.count else { return nil }
        return WebSocketFrame.encode(opcode, packed, isCompressed: true)
    }
}
