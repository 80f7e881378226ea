// Compression and decompression of messages on one connection, RFC 7692 section 7.2.

import Deflate

/// The compression state of one connection.
///
/// zlib's states exist only while they have a context that later bytes may refer to. Without context,
/// whole messages use the states of the loop.
struct MessageCompression {
    /// The end of each compressed message, which is not sent.
    static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
    private static let pieceByteCountMax = 16 << 10

    private let agreed: PerMessageDeflate
    private let states: CompressionStates?
    private var deflater: Deflater?
    private var inflater: Inflater?

    init(_ agreed: PerMessageDeflate, _ states: CompressionStates?) {
        self.agreed = agreed
        self.states = states
    }

    /// Whether later messages may refer to earlier ones.
    var holdsContext: Bool { deflater != nil || inflater != nil }

    /// Compresses `message`; nil if it should be sent uncompressed.
    mutating func compress(_ message: [UInt8]) -> [UInt8]? {
        guard agreed.compresses(byteCount: message.count) else { return nil }
        if !agreed.keepsContext, let states, states.takes(byteCount: message.count) {
            return message.withUnsafeBytes { states.compress($0, agreed).map(Array.init) }
        }
        guard let deflater = self.deflater ?? agreed.makeDeflater() else { return nil }
        self.deflater = agreed.keepsContext ? deflater : nil
        let compressed = deflater.compressMessage(message[...])
        // With context takeover the next message may refer to this one, so it is sent even if it
        // became longer.
        return compressed.count < message.count || agreed.keepsContext ? compressed : nil
    }

    /// Clears the context: the next message refers to nothing before it.
    mutating func resetContext() { deflater = nil }

    /// Decompresses the next piece of `input` and removes the consumed bytes from it. The piece has
    /// at most `room` + 1 bytes; more than `room` means that the message is too large. Nil when
    /// `input` is used up.
    mutating func decompress(
        _ input: inout ArraySlice<UInt8>,
        room: Int
    ) throws(WebSocketError) -> [UInt8]? {
        do throws(DeflateError) {
            let inflater = try existingOrNewInflater()
            guard !input.isEmpty || inflater.hasPendingOutput else { return nil }
            // A final block need not be the message's last (section 7.2.3).
            if inflater.isAtEnd { inflater.startNextStream() }
            return try inflater.next(&input, atMost: min(room, Self.pieceByteCountMax) + 1)
        } catch {
            switch error {
            case .malformed: throw WebSocketError.malformedCompression
            case .outOfMemory: throw WebSocketError.outOfMemory
            }
        }
    }

    private mutating func existingOrNewInflater() throws(DeflateError) -> Inflater {
        if let inflater { return inflater }
        let made = try Inflater(windowBits: agreed.peerWindowBits)
        inflater = made
        return made
    }

    /// Ends a message after its tail was decompressed.
    /// - Throws: `malformedCompression` if it ends within a block.
    mutating func endMessage() throws(WebSocketError) {
        guard inflater?.isBetweenBlocks == true else { throw .malformedCompression }
        if !agreed.peerKeepsContext { inflater = nil }
    }
}

extension PerMessageDeflate {
    /// Creates a compressor for sent messages; nil if memory is exhausted.
    func makeDeflater() -> Deflater? {
        try? Deflater(level: level, windowBits: windowBits, memoryLevel: memoryLevel)
    }
}

extension Deflater {
    /// The payload of a compressed message's frame.
    func compressMessage(_ message: ArraySlice<UInt8>) -> [UInt8] {
        var compressed = compress(message)
        compressed.removeLast(MessageCompression.tail.count)
        return compressed
    }
}
