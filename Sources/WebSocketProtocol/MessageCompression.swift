// Messages packed and unpacked on one connection, RFC 7692 section 7.2.

import Deflate

/// The compression of one connection, as it was agreed on.
///
/// zlib's states are there only while they hold something that later bytes may refer to.
struct MessageCompression {
    /// What ends each packed message, and is not sent.
    static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
    private static let pieceByteCountMax = 16 << 10

    let agreed: PerMessageDeflate
    private var deflater: Deflater?
    private var inflater: Inflater?

    init(_ agreed: PerMessageDeflate) { self.agreed = agreed }

    /// `message` packed; nil where it is to be sent as it is.
    mutating func compress(_ message: [UInt8]) -> [UInt8]? {
        guard agreed.compresses(byteCount: message.count),
            let deflater = self.deflater ?? agreed.makeDeflater()
        else { return nil }
        self.deflater = agreed.keepsContext ? deflater : nil
        let packed = deflater.packMessage(message[...])
        // What the next message may refer to has to be sent, however long it has become.
        return packed.count < message.count || agreed.keepsContext ? packed : nil
    }

    /// Has the next message refer to nothing before it.
    mutating func forgetSent() { deflater = nil }

    /// The next piece of what `input` unpacks to; what was read is taken off. It has one byte more than
    /// there is `room` for, at most: then the message is too large. Nil: that was all.
    mutating func decompress(
        _ input: inout ArraySlice<UInt8>,
        room: Int
    ) throws(WebSocketError) -> [UInt8]? {
        do throws(DeflateError) {
            let inflater = try usedInflater()
            guard !input.isEmpty || inflater.holdsMore else { return nil }
            // A final block need not be the message's last (section 7.2.3).
            if inflater.isAtEnd { inflater.goOn() }
            return try inflater.next(&input, atMost: min(room, Self.pieceByteCountMax) + 1)
        } catch {
            switch error {
            case .malformed: throw WebSocketError.malformedCompression
            case .outOfMemory: throw WebSocketError.outOfMemory
            }
        }
    }

    private mutating func usedInflater() throws(DeflateError) -> Inflater {
        if let inflater { return inflater }
        let made = try Inflater(windowBits: agreed.peerWindowBits)
        inflater = made
        return made
    }

    /// Notes that a message has been unpacked, its tail included.
    /// - Throws: `malformedCompression` where it ends within a block.
    mutating func endMessage() throws(WebSocketError) {
        guard inflater?.isBetweenBlocks == true else { throw .malformedCompression }
        if !agreed.peerKeepsContext { inflater = nil }
    }

    /// Gives all memory back: nothing more is received or sent.
    mutating func end() {
        deflater = nil
        inflater = nil
    }
}

extension PerMessageDeflate {
    /// A compressor of what is sent; nil where there is no memory for it.
    func makeDeflater() -> Deflater? {
        try? Deflater(level: level, windowBits: windowBits, memoryLevel: memoryLevel)
    }
}

extension Deflater {
    /// What goes into the frame of a compressed message.
    func packMessage(_ message: ArraySlice<UInt8>) -> [UInt8] {
        var packed = pack(message)
        packed.removeLast(MessageCompression.tail.count)
        return packed
    }
}
