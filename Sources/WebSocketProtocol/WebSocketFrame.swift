// Encoding of frames without a connection: a server encodes a broadcast once and shares the bytes
// among all subscribers.

/// Encoders for whole messages.
///
/// Server frames have no mask and depend only on their payload. Send them only on open connections
/// (`WebSocketConnection.isOpen`). Clients use `WebSocketConnection.send`, since each client frame
/// needs its own masking key.
public enum WebSocketFrame {
    /// RSV1, set by permessage-deflate in the first frame of a compressed message.
    static let compressedBit: UInt8 = 0x40

    /// Encodes a server's frame with the text message `text`.
    public static func encode(text: String) -> [UInt8] {
        var frame = header(.text, isFinal: true, payloadByteCount: text.utf8.count, key: nil)
        frame.append(contentsOf: text.utf8)
        return frame
    }

    /// Encodes a server's frame with the text message `text`, which must be UTF-8.
    public static func encode(text: [UInt8]) -> [UInt8] { encode(.text, text) }

    /// Encodes a server's frame with the binary message `binary`.
    public static func encode(binary: [UInt8]) -> [UInt8] { encode(.binary, binary) }

    /// Encodes any frame: masked if there is a key, a fragment if it is not final. `payload` is the
    /// frame's content, already compressed if `isCompressed`.
    package static func encode(
        _ opcode: WebSocketOpcode,
        _ payload: [UInt8],
        isFinal: Bool = true,
        isCompressed: Bool = false,
        key: MaskingKey? = nil
    ) -> [UInt8] {
        var frame = header(opcode, isFinal: isFinal, payloadByteCount: payload.count, key: key)
        if isCompressed { frame[0] |= compressedBit }
        let start = frame.count
        frame.append(contentsOf: payload)
        if let key {
            frame.withUnsafeMutableBytes { bytes in
                key.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), offset: 0)
            }
        }
        return frame
    }

    /// The payload of the first of `frames`, which are complete and unmasked.
    static func firstPayload(of frames: ArraySlice<UInt8>) -> Range<Int> {
        let lengthStart = frames.startIndex + 2
        let shortLength = Int(frames[lengthStart - 1])
        let start: Int
        switch shortLength {
        case 127: start = lengthStart + 8
        case 126: start = lengthStart + 2
        default: return lengthStart..<(lengthStart + shortLength)
        }
        return start..<(start + frames[lengthStart..<start].reduce(0) { $0 << 8 | Int($1) })
    }

    /// Encodes a header with minimal length, in an array with capacity for the payload.
    private static func header(
        _ opcode: WebSocketOpcode,
        isFinal: Bool,
        payloadByteCount: Int,
        key: MaskingKey?
    ) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(14 + payloadByteCount)
        frame.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        let maskBit: UInt8 = key == nil ? 0 : 0x80
        let lengthByteCount: Int
        switch payloadByteCount {
        case ...125:
            frame.append(maskBit | UInt8(payloadByteCount))
            lengthByteCount = 0
        case ...0xFFFF:
            frame.append(maskBit | 126)
            lengthByteCount = 2
        default:
            frame.append(maskBit | 127)
            lengthByteCount = 8
        }
        for index in (0..<lengthByteCount).reversed() {
            frame.append(UInt8(truncatingIfNeeded: payloadByteCount >> (8 * index)))
        }
        if let key { frame.append(contentsOf: key.bytes) }
        return frame
    }
}
