// Text of others cannot become text for the terminal without being cleaned.

import FoundationEssentials
import TerminalText
import Testing

@Suite("Safe text")
struct SafeTextTests {
    @Test("what is interpolated is cleaned, literals and safe texts are kept")
    func interpolation() {
        let name = "ada\u{1B}]52;c;aGk=\u{7}\u{9B}31m"
        let bold: SafeText = "\u{1B}[1m\(name)\u{1B}[0m"
        #expect(bold.text == "\u{1B}[1mada\u{1B}[0m")
        let line: SafeText = "\(bold): \(7) \([name].joined())"
        #expect(line.text == "\u{1B}[1mada\u{1B}[0m: 7 ada")
        #expect(SafeText(cleaning: name).text == "ada")
    }

    @Test("JSON for a terminal has no control characters, and the same value")
    func json() throws {
        let texts =
            (UInt32(0)...0x9F).compactMap(Unicode.Scalar.init).map { String($0) }
            + ["\u{2028}\u{2029}\u{202E}\u{2066}", "\u{80}é\u{9F}", "日本\u{FEFF}"]
        let json = SafeJSON.escaped([UInt8](try JSONEncoder().encode(texts)))
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            #expect(!(0x00...0x1F).contains(scalar.value) && !(0x7F...0x9F).contains(scalar.value))
            #expect(!(0x2028...0x202E).contains(scalar.value))
        }
        #expect(try JSONDecoder().decode([String].self, from: Data(json)) == texts)
    }
}
