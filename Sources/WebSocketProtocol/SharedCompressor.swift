// A message for many connections is compressed once, too.

import Deflate

/// Compresses frames for all connections whose `WebSocketConnection.sharedWindowBits` allow it.
///
/// Each frame is packed by itself and refers to nothing before it. That alone does not make it right for
/// a connection that keeps context: its bytes enter the peer's window, but not that of the connection's
/// own compressor, whose next reference would go astray. So a server with many readers agrees on
/// `server_no_context_takeover` (`keepsContext: false`), and every frame is right on every connection.
public final class SharedCompressor {
    private let settings: PerMessageDeflate
    private var deflater: Deflater?

    /// A compressor for windows of 2^`windowBits` bytes. Level and memory are those of `settings`; it
    /// takes the memory with the first frame, and keeps it.
    public init(_ settings: PerMessageDeflate, windowBits: Int) {
        var settings = settings
        settings.windowBits = windowBits
        self.settings = settings
    }

    /// `frame` compressed. Nil: it is sent as it is, being too short, too long, or no shorter
    /// compressed.
    /// - Precondition: it is what `WebSocketFrame.encode` makes of a text or binary message.
    public func compress(_ frame: [UInt8]) -> [UInt8]? {
        let payload = WebSocketFrame.payload(of: frame)
        guard settings.compresses(byteCount: payload.count),
            let opcode = WebSocketOpcode(rawValue: frame[0] & 0xF),
            let deflater = self.deflater ?? settings.makeDeflater()
        else { return nil }
        self.deflater = deflater
        let packed = deflater.packMessage(payload)
        deflater.forget()
        guard packed.count < payload.count else { return nil }
        return WebSocketFrame.encode(opcode, packed, isCompressed: true)
    }
}
