// Parts of a text for a terminal or a program.

import Testing
import stoa

@Suite("Text in parts")
struct TextOutputTests {
    @Test("text for a terminal may be split within a character, and a program gets it unchanged")
    func pieces() {
        let text = "naïve 日本 👩‍🚀 \u{202E}gnp.exe\u{1B}[2J\u{85} end"
        let bytes = Array(text.utf8)
        for length in 1...7 {
            var terminal = TextOutput(isTerminal: true)
            var program = TextOutput(isTerminal: false)
            var shown: [UInt8] = []
            var passed: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                let piece = Array(bytes[start..<min(start + length, bytes.count)])
                shown += terminal.shown(piece)
                passed += program.shown(piece)
            }
            #expect(String(decoding: shown, as: UTF8.self) == "naïve 日本 👩‍🚀 gnp.exe end")
            #expect(passed == bytes)
        }
    }
}
