// Bytes of a terminal as keys.

import TerminalText
import Testing

@Suite("Keys")
struct KeyTests {
    static let table: [(String, [Key])] = [
        (
            "aé日👩‍🚀",
            [.character("a"), .character("é"), .character("日")]
                + "👩‍🚀".unicodeScalars.map { .character(Character($0)) }
        ),
        ("\r\u{7F}\t\u{1}\u{3}", [.enter, .backspace, .tab, .control("a"), .control("c")]),
        ("\n\u{1B}\r", [.enter, .altEnter]),
        ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
        ("\u{1B}[1;5C\u{1B}[1;3D\u{1B}b\u{1B}f", [.wordRight, .wordLeft, .alt("b"), .alt("f")]),
        (
            "\u{1B}[H\u{1B}[4~\u{1B}[3~\u{1B}[5~\u{1B}[6~",
            [.home, .end, .delete, .pageUp, .pageDown]
        ),
        (
            "\u{1B}[200~two\rlines\u{1B}[A\u{1B}[201~x",
            [.paste("two\nlines\u{1B}[A"), .character("x")]
        ),
        ("\u{1B}[13;2u\u{1B}[27;2;13~", [.altEnter, .altEnter]),
        ("\u{1B}[?62;4cx\u{1B}[99~", [.character("x")]),
        ("\u{1B}[1;3A\u{1B}[1;3B\u{1A}", [.altUp, .altDown, .control("z")]),
        (
            "\u{1B}[<0;5;2M\u{1B}[<0;5;2m\u{1B}[<64;1;1M\u{1B}[<65;1;1M\u{1B}[<0;0;99999999999999999999Mx",
            [.click(row: 1, column: 4), .wheel(isUp: true), .wheel(isUp: false), .character("x")]
        ),
    ]

    @Test("sequences are keys, and unknown ones are none", arguments: table)
    func keys(bytes: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.append(Array(bytes.utf8)) == keys)
    }

    @Test("bytes may arrive in any pieces", arguments: table)
    func pieces(bytes: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(bytes.utf8.flatMap { decoder.append([$0]) } == keys)
    }

    @Test("an ESC alone is the key Escape")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.append([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == .escape)
        #expect(decoder.append([0x61]) == [.character("a")])
    }

    @Test("damaged bytes neither stop the decoder nor grow it")
    func damage() {
        var generator = SystemRandomNumberGenerator()
        var decoder = KeyDecoder()
        for _ in 0..<200 {
            _ = decoder.append(
                (0..<200).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            )
        }
        _ = decoder.append(Array("\u{1B}[201~\u{1B}[201~".utf8))
        #expect(decoder.append(Array("ab".utf8)).suffix(2) == [.character("a"), .character("b")])
    }
}
