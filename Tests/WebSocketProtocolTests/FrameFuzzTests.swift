// Mutated and random bytes through the frame parser, in both roles. For every input: no crash, no
// more output than input, errors of one type, and the same result for every split of the bytes.

import TestSupport
import Testing
import WebSocketProtocol

@Suite("Fuzzing")
struct FrameFuzzTests {
    static let inputCount = 20_000

    /// Streams of frames, unmasked or masked.
    private static func seeds(key: MaskingKey?) -> [[UInt8]] {
        func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8], final: Bool = true) -> [UInt8] {
            WebSocketFrame.encode(opcode, payload, isFinal: final, key: key)
        }
        let text = Array("Gr\u{FC}\u{DF}e \u{1F3DB}".utf8)
        return [
            frame(.text, text) + frame(.text, []) + frame(.ping, [1]),
            frame(.text, Array(text.prefix(3)), final: false) + frame(.pong, [])
                + frame(.continuation, Array(text.dropFirst(3))),
            frame(.binary, Array(repeating: 7, count: 200)) + frame(.close, [3, 0xE8, 65]),
            frame(.binary, [1], final: false) + frame(.continuation, [], final: false)
                + frame(.continuation, [2]) + frame(.text, text),
        ]
    }

    @Test(
        "no stream of frames crashes either side",
        arguments: [
            WebSocketConnection.Role.server, .client,
        ]
    )
    func frames(_ role: WebSocketConnection.Role) {
        var generator = SeededGenerator(seed: role == .server ? 1 : 2)
        let seeds = Self.seeds(key: role == .server ? exampleKey : nil)
        let limits = WebSocketLimits(
            frameBytesMax: 150,
            messageBytesMax: 180,
            fragmentCountMax: 5
        )
        for _ in 0..<Self.inputCount {
            let seed = seeds.randomElement(using: &generator) ?? []
            let isNoise = generator.next() % 16 == 0
            let bytes = isNoise ? generator.bytes(40) : generator.mutate(seed)
            let whole = FrameTranscript(bytes, role: role, limits: limits)
            let delivery = Delivery.randomChunks(seed: generator.next())
            let cut = FrameTranscript(bytes, delivery, role: role, limits: limits)
            #expect(whole == cut, "\(bytes)")
            let byteCount = whole.events.reduce(0) { sum, event in
                switch event {
                case .text(let payload), .binary(let payload), .ping(let payload),
                    .pong(let payload):
                    sum + payload.count
                case .close(_, let reason): sum + reason.utf8.count
                }
            }
            #expect(byteCount <= bytes.count, "\(bytes)")
        }
    }
}
