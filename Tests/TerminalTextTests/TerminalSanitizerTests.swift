// Text from other users cannot control a terminal, however it is split.

import TerminalText
import Testing

@Suite("Text for a terminal")
struct TerminalSanitizerTests {
    /// Input, and what a terminal may get of it.
    static let table: [(String, String)] = [
        ("plain, Grüße, 你好, 🍵\n\tindented", "plain, Grüße, 你好, 🍵\n\tindented"),
        ("a\u{1B}[31mred\u{1B}[0mb", "aredb"),
        ("a\u{1B}[2J\u{1B}[Hb", "ab"),
        ("a\u{1B}[?1049hb\u{1B}[38;2;1;2;3mc\u{1B}[1 qd", "abcd"),
        ("a\u{9B}31mb", "ab"),
        ("a\u{1B}]0;title\u{7}b", "ab"),
        ("a\u{1B}]8;;http://x.test\u{1B}\\link\u{1B}]8;;\u{1B}\\b", "alinkb"),
        ("a\u{9D}52;c;aGk=\u{9C}b", "ab"),
        ("a\u{1B}Pq#0\u{1B}\\b\u{1B}_x\u{9C}c\u{1B}^y\u{1B}\\d\u{1B}Xz\u{7}e", "abcde"),
        ("a\u{90}x\u{9C}b\u{98}x\u{9C}c\u{9E}x\u{9C}d\u{9F}x\u{9C}e", "abcde"),
        ("a\u{1B}(Bb\u{1B}#8c\u{1B}=d\u{1B}cE", "abcdE"),
        ("a\u{1B}\u{1B}[31mb", "ab"),
        ("a\u{1B}[31é", "aé"),
        ("a\u{1B}[3\nb", "a\nb"),
        ("a\u{1B}]0;no end\nb", "a\nb"),
        ("a\u{1B}]0;x\u{1B}[31mb", "ab"),
        ("over\rwrite\u{8}\u{7F}", "overwrite"),
        ("\u{202E}gpj.exe\u{202C} \u{2066}x\u{2069}\u{2028}", "gpj.exe x"),
        ("\u{1B}", ""),
    ]

    @Test("sequences are removed as a whole", arguments: table)
    func sequences(text: String, shown: String) {
        #expect(TerminalSanitizer.clean(text) == shown)
    }

    @Test("a sequence may be split anywhere", arguments: table)
    func pieces(text: String, shown: String) {
        var sanitizer = TerminalSanitizer()
        let pieces = text.unicodeScalars.map { sanitizer.append(String(Character($0))) }
        #expect(Array(pieces.joined().utf8) == Array(shown.utf8))
    }

    @Test("of the characters 0x00 to 0x9F only text, tab and line feed are kept")
    func everyControlCharacter() {
        for value in UInt32(0)...0x9F {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isText = (0x20...0x7E).contains(value) || value == 0x09 || value == 0x0A
            let shown = TerminalSanitizer.clean(String(Character(scalar)))
            #expect(
                shown == (isText ? String(Character(scalar)) : ""),
                "0x\(String(value, radix: 16))"
            )
        }
    }

    @Test("no control character survives after any other")
    func everyPair() {
        for first in UInt32(0)...0x9F {
            for second in UInt32(0)...0x9F {
                guard let first = Unicode.Scalar(first), let second = Unicode.Scalar(second) else {
                    continue
                }
                var scalars = String.UnicodeScalarView()
                scalars.append(first)
                scalars.append(second)
                for scalar in TerminalSanitizer.clean(String(scalars)).unicodeScalars {
                    let isText = (0x20...0x7E).contains(scalar.value)
                    #expect(isText || scalar == "\t" || scalar == "\n")
                }
            }
        }
    }

    @Test("an unterminated control string cannot hide the rest")
    func endlessString() {
        let hidden = String(repeating: "x", count: 1024)
        #expect(TerminalSanitizer.clean("\u{1B}]" + hidden + "shown") == "shown")
    }
}
