import Deflate
import TestSupport
import Testing

@Suite("Deflate")
struct DeflateTests {
    /// Decompresses `compressed` in pieces of at most `capacity` bytes.
    private func decompressed(
        _ compressed: [UInt8],
        by inflater: Inflater,
        piecesOf capacity: Int = 1000
    ) throws -> [UInt8] {
        var rest = compressed[...]
        var result: [UInt8] = []
        while !inflater.isAtEnd, !rest.isEmpty || inflater.hasPendingOutput {
            let piece = try inflater.next(&rest, atMost: capacity)
            #expect(piece.count <= capacity)
            result += piece
        }
        #expect(rest.isEmpty)
        return result
    }

    @Test(
        "decompression restores the input for every window size and memory level",
        arguments: 9...15
    )
    func roundTrip(_ windowBits: Int) throws {
        var generator = SeededGenerator(seed: UInt64(windowBits))
        for memoryLevel in 1...9 {
            let level = Int.random(in: 1...9, using: &generator)
            let deflater = try Deflater(
                level: level,
                windowBits: windowBits,
                memoryLevel: memoryLevel
            )
            let inflater = try Inflater(windowBits: windowBits)
            for _ in 0..<10 {
                let phrase = generator.bytes(Int.random(in: 1...300, using: &generator))
                let count = Int.random(in: 1...200, using: &generator)
                let message = Array(repeatElement(phrase, count: count).joined())
                let compressed = deflater.compress(message[...])
                #expect(compressed.suffix(4) == [0, 0, 0xFF, 0xFF])
                let capacity = Int.random(in: 1...5000, using: &generator)
                let result = try decompressed(compressed, by: inflater, piecesOf: capacity)
                #expect(result == message)
                #expect(inflater.isBetweenBlocks)
                if Bool.random(using: &generator) { deflater.reset() }
            }
        }
    }

    @Test("repeated input compresses better, until the compressor is reset")
    func history() throws {
        var generator = SeededGenerator(seed: 1)
        let noise = generator.bytes(500)[...]
        let deflater = try Deflater(level: 6, windowBits: 15, memoryLevel: 8)
        let first = deflater.compress(noise)
        #expect(first.count > 500)
        #expect(deflater.compress(noise).count < 50)
        deflater.reset()
        #expect(deflater.compress(noise) == first)
    }

    @Test("a stream after a final block may refer to earlier output")
    func nextStream() throws {
        let inflater = try Inflater(windowBits: 15)
        // "Hello" with BFINAL set, as in RFC 7692 section 7.2.3.
        let first = try decompressed([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], by: inflater)
        #expect(first == Array("Hello".utf8))
        #expect(inflater.isAtEnd)
        inflater.startNextStream()
        // Its second "Hello", which refers to the first, as in that section.
        let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF]
        #expect(try decompressed(second, by: inflater) == Array("Hello".utf8))
    }

    @Test("a reference to before the first byte or beyond the window is malformed")
    func farReferences() throws {
        let back: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let inflater = try Inflater(windowBits: 15)
        #expect(throws: DeflateError.malformed) { try decompressed(back, by: inflater) }

        var generator = SeededGenerator(seed: 2)
        let noise = generator.bytes(600)
        let deflater = try Deflater(level: 6, windowBits: 15, memoryLevel: 8)
        let narrow = try Inflater(windowBits: 8)
        let first = deflater.compress(noise[...])
        #expect(try decompressed(first, by: narrow) == noise)
        let second = deflater.compress(noise[...])
        #expect(throws: DeflateError.malformed) { try decompressed(second, by: narrow) }
    }

    @Test("input that ends within a block is detected")
    func truncation() throws {
        let deflater = try Deflater(level: 6, windowBits: 15, memoryLevel: 8)
        let compressed = deflater.compress(Array("Hello, hello, hello!".utf8)[...])
        for count in 1..<compressed.count - 5 {
            let inflater = try Inflater(windowBits: 15)
            _ = try decompressed(Array(compressed.prefix(count)), by: inflater)
            #expect(!inflater.isBetweenBlocks, "\(count)")
        }
    }
}
