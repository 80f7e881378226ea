// Compression without context takeover. A message then leaves nothing in zlib's states, so all
// connections of a loop can use the same ones, one message after the other. Making them anew for
// each message costs several times as much as compressing 1 KiB: it allocates 262 KiB.

import Deflate

/// The compressors and decompressors of one loop's connections without context takeover.
///
/// It serves whole messages of up to `byteCountMax` bytes; others take memory of their own. The
/// first message of a direction allocates its state and 64 KiB for the result.
public final class CompressionStates {
    /// Longer messages are rare, and their own work outweighs the allocation of a state.
    private static let byteCountMax = 64 << 10

    private struct Levels: Hashable {
        let level: Int
        let windowBits: Int
        let memoryLevel: Int
    }

    private var deflaters: [Levels: Deflater] = [:]
    /// By window.
    private var inflaters: [Int: Inflater] = [:]
    /// The last results, of each direction: a handler may send while it reads a received message.
    private var compressed: UnsafeMutableRawBufferPointer?
    private var decompressed: UnsafeMutableRawBufferPointer?

    /// Creates it without memory for states.
    public init() {}

    deinit {
        compressed?.deallocate()
        decompressed?.deallocate()
    }

    /// Whether a message of this size is compressed here.
    func takes(byteCount: Int) -> Bool {
        byteCount + MessageCompression.tail.count <= Self.byteCountMax
    }

    /// The payload of the compressed frame of `message`, valid until the next call; nil if it does
    /// not become smaller, or memory is exhausted.
    func compress(
        _ message: UnsafeRawBufferPointer,
        _ agreed: PerMessageDeflate
    ) -> UnsafeRawBufferPointer? {
        let tailByteCount = MessageCompression.tail.count
        guard let deflater = deflater(of: agreed) else { return nil }
        defer { deflater.reset() }
        let memory = Self.memory(&compressed)
        guard let count = deflater.compress(message, into: memory),
            count - tailByteCount < message.count
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: memory[..<(count - tailByteCount)])
    }

    /// The message of `payload`, the payload of a whole compressed message, valid until the next
    /// call; nil if it is left to an inflater of the connection: it has more than `byteCountMax`
    /// bytes or the memory's, is not valid, or is valid in an unusual way.
    func decompress(
        _ payload: UnsafeRawBufferPointer,
        _ agreed: PerMessageDeflate,
        atMost byteCountMax: Int
    ) -> UnsafeRawBufferPointer? {
        guard !payload.isEmpty, let inflater = inflater(of: agreed) else { return nil }
        defer { inflater.reset() }
        let memory = Self.memory(&decompressed)
        guard let count = inflater.decompress(payload, into: memory),
            // The tail adds nothing to the text: it ends the last block.
            let rest = MessageCompression.tail.withUnsafeBytes({
                inflater.decompress(
                    $0,
                    into: UnsafeMutableRawBufferPointer(rebasing: memory[count...])
                )
            }),
            inflater.isBetweenBlocks, count + rest <= byteCountMax
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: memory[..<(count + rest)])
    }

    private func deflater(of agreed: PerMessageDeflate) -> Deflater? {
        let levels = Levels(
            level: agreed.level,
            windowBits: agreed.windowBits,
            memoryLevel: agreed.memoryLevel
        )
        if let deflater = deflaters[levels] { return deflater }
        let made = agreed.makeDeflater()
        deflaters[levels] = made
        return made
    }

    private func inflater(of agreed: PerMessageDeflate) -> Inflater? {
        if let inflater = inflaters[agreed.peerWindowBits] { return inflater }
        let made = try? Inflater(windowBits: agreed.peerWindowBits)
        inflaters[agreed.peerWindowBits] = made
        return made
    }

    private static func memory(
        _ buffer: inout UnsafeMutableRawBufferPointer?
    ) -> UnsafeMutableRawBufferPointer {
        if let buffer { return buffer }
        let made = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCountMax, alignment: 16)
        buffer = made
        return made
    }
}
