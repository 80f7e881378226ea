// What is sent to many is compressed once for each window that they have.

import ChatServer
import Networking
import Testing
import WebSocketProtocol

@Suite("Compressed frames for many")
struct FrameCompressionTests {
    private func frame(_ byteCount: Int) -> SharedBytes {
        SharedBytes(WebSocketFrame.encode(text: [UInt8](repeating: 0x61, count: byteCount)))
    }

    @Test("a frame has one compressed form for each window, made when it is first asked for")
    func once() {
        let compression = FrameCompression()
        let shared = frame(5000)
        let wide = compression.form(of: shared, windowBits: 15)
        let narrow = compression.form(of: shared, windowBits: 9)
        #expect(wide.bytes.count < 100)
        #expect(wide.bytes[0] == 0xC1)
        #expect(wide !== narrow)
        for _ in 0..<10 {
            #expect(compression.form(of: shared, windowBits: 15) === wide)
            #expect(compression.form(of: shared, windowBits: 9) === narrow)
        }
        // The same bytes in another frame have the same form, since none refers to another.
        #expect(compression.form(of: frame(5000), windowBits: 15).bytes == wide.bytes)
    }

    @Test("short and very long frames, and those for clients without compression, stay as they are")
    func plain() {
        let compression = FrameCompression()
        let shared = frame(5000)
        #expect(compression.form(of: shared, windowBits: nil) === shared)
        for byteCount in [0, 100, 1000, 300_000] {
            let shared = frame(byteCount)
            #expect(compression.form(of: shared, windowBits: 15) === shared)
        }
    }
}
