// Widths of characters on a terminal, and lines of a width.

import TerminalText
import Testing

@Suite("Widths in columns")
struct ColumnWidthTests {
    @Test(
        "East Asian, emoji and marks have the widths that terminals show",
        arguments: [
            ("", 0), ("abc", 3), ("Grüße", 5), ("e\u{301}", 1), ("日本", 4), ("ｆｕｌｌ", 8), ("한글", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("🍵", 2), ("👩‍🚀", 2), ("❤\u{FE0F}", 2), ("❤", 1),
            ("🇩🇪", 2), ("👍🏽", 2), ("a\u{200B}b", 2), ("क्षि", 1), ("שלום", 4), ("…–", 2), ("🫠", 2),
        ]
    )
    func widths(text: String, width: Int) {
        #expect(ColumnWidth.of(text) == width)
    }

    @Test("a text is cut where the next character would not fit")
    func prefix() {
        #expect(ColumnWidth.prefix("日本語", columns: 5) == "日本")
        #expect(ColumnWidth.prefix("abc", columns: 3) == "abc")
        #expect(ColumnWidth.prefix("abc", columns: 0) == "")
    }

    private func wrapped(_ text: String, _ width: Int) -> [String] {
        Wrapping.lines([Span(text)], width: width).map(\.text)
    }

    @Test("lines end at spaces, between wide characters, and within words that are too long")
    func wrapping() {
        #expect(wrapped("the quick brown fox", 10) == ["the quick", "brown fox"])
        #expect(wrapped("日本語テキスト", 6) == ["日本語", "テキス", "ト"])
        #expect(wrapped("a abcdefgh b", 5) == ["a", "abcde", "fgh b"])
        #expect(wrapped("", 5) == [""])
        #expect(wrapped("ab cd", 1) == ["a", "b", "c", "d"])
    }

    @Test("styles stay with their characters")
    func styles() {
        let bold = Style([.bold])
        let lines = Wrapping.lines(
            [Span("one "), Span("two three", bold), nil, Span("x")],
            width: 7
        )
        #expect(lines.map(\.text) == ["one two", "three", "x"])
        #expect(lines[0].output(hasStyles: true).text == "one \u{1B}[1mtwo\u{1B}[0m")
        #expect(lines[1].output(hasStyles: false).text == "three")
    }
}
