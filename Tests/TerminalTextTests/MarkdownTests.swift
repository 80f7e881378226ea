// Markdown in lines of a terminal.

import TerminalText
import Testing

@Suite("Markdown on a terminal")
struct MarkdownTests {
    private func lines(_ text: String, width: Int = 40) -> [String] {
        var stream = MarkdownStream(width: width)
        return (stream.append(text) + stream.finish()).map(\.text)
    }

    private func output(_ text: String) -> String {
        var stream = MarkdownStream(width: 40)
        return (stream.append(text) + stream.finish())
            .map { $0.output(hasStyles: true).text }.joined(separator: "\n")
    }

    @Test("headings, emphasis, links and code have styles, and no marks")
    func inlines() {
        #expect(output("# Tea") == "\u{1B}[1;4mTea\u{1B}[0m")
        #expect(
            output("a *b* **c** ~~d~~ `e`")
                == "a \u{1B}[3mb\u{1B}[0m \u{1B}[1mc\u{1B}[0m \u{1B}[9md\u{1B}[0m \u{1B}[36me\u{1B}[0m"
        )
        #expect(lines("[tea](http://a.test/x)") == ["tea (http://a.test/x)"])
        #expect(lines("see http://a.test/x") == ["see http://a.test/x"])
    }

    @Test("lists, tasks and quotes are indented")
    func lists() {
        #expect(lines("- a\n- b\n  - c\n") == ["• a", "• b", "  • c"])
        #expect(lines("9. a\n10. b") == [" 9. a", "10. b"])
        #expect(lines("- [x] done\n- [ ] open") == ["☑ done", "☐ open"])
        #expect(lines("> a\n> b") == ["│ a b"])
        #expect(
            lines("- one two three four five six", width: 20) == [
                "• one two three four", "  five six",
            ]
        )
    }

    @Test("tables have columns by the width of their cells, and are narrowed to fit")
    func tables() {
        #expect(
            lines("| a | 日本 |\n|---|--:|\n| xyz | 1 |\n") == [
                "a   │ 日本", "────┼─────", "xyz │    1",
            ]
        )
        let text = "| name | text |\n|---|---|\n| a | one two three four five six seven |\n"
        for line in lines(text, width: 24) { #expect(ColumnWidth.of(line) <= 24) }
        #expect(lines(text, width: 24).count == 5)
    }

    @Test("code keeps its lines, and keywords, strings and comments are coloured")
    func code() {
        #expect(lines("```\na  b\n\tc\n```") == ["  a  b", "      c"])
        let colored = output("```swift\nlet a = \"b\" // c\n```")
        #expect(colored.contains("\u{1B}[1;34mlet\u{1B}[0m"))
        #expect(colored.contains("\u{1B}[32m\"b\"\u{1B}[0m"))
        #expect(colored.contains("\u{1B}[90m// c\u{1B}[0m"))
    }

    @Test(
        "neither sequences nor character references reach the terminal",
        arguments: [
            "a\u{1B}]52;c;aGk=\u{7}b", "&#x1b;[31mred", "`&#27;`\u{9B}31m", "[a](\u{1B}[2J)",
            "&#x9d;52;c;x&#x9c;", "| \u{1B}[6n |\n|--|\n", "```\n\u{1B}[6n\u{90}x\n```",
            "&#x202e;gnp",
            "<b\u{1B}[1m>", "![a](http://x/\u{1B}c)",
        ]
    )
    func attacks(text: String) {
        for line in lines(text) {
            for scalar in line.unicodeScalars {
                #expect(!(0..<0x20).contains(scalar.value), "\(line.debugDescription)")
                #expect(!(0x7F...0x9F).contains(scalar.value), "\(line.debugDescription)")
                #expect(scalar.value != 0x202E)
            }
        }
    }

    private static let sample = """
        # Title

        Some *text* that goes on
        in a second line.

        1. one
        2. two

           more of two
        - other

        ```py
        def f():
            return 1
        ```
        ```
        ```
        > quote

        | a | b |
        |---|---|
        | 1 | 2 |
        """

    @Test("a text in pieces gives the same lines as in one, each once", arguments: 1...9)
    func pieces(size: Int) {
        var stream = MarkdownStream(width: 30)
        var found: [StyledLine] = []
        let characters = Array(Self.sample)
        for start in stride(from: 0, to: characters.count, by: size) {
            found += stream.append(String(characters[start..<min(start + size, characters.count)]))
            _ = stream.open()
        }
        found += stream.finish()
        var whole = MarkdownStream(width: 30)
        let expected = whole.append(Self.sample) + whole.finish()
        #expect(found.map(\.text) == expected.map(\.text))
    }

    @Test("a table that follows a paragraph's lines is not torn off it", arguments: 1...5)
    func tableInParagraph(size: Int) {
        let text = "one two\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n| c | d |\n"
        var stream = MarkdownStream(width: 30)
        var found: [StyledLine] = []
        let characters = Array(text)
        for start in stride(from: 0, to: characters.count, by: size) {
            found += stream.append(String(characters[start..<min(start + size, characters.count)]))
        }
        #expect((found + stream.finish()).map(\.text) == lines(text, width: 30))
    }

    @Test("deep nesting is shown without exhausting the stack")
    func depth() {
        for text in [
            String(repeating: "> ", count: 20_000) + "x", String(repeating: "*a ", count: 5000),
            String(repeating: "- ", count: 5000) + "x", String(repeating: "[", count: 20_000),
        ] {
            #expect(!lines(text).isEmpty)
        }
    }
}
