// What is drawn, on a model of a terminal.

import TerminalText
import Testing

/// A terminal that knows what `LiveScreen` writes: lines, cursor movements, erasing below.
private struct ModelTerminal {
    var lines: [[Character]] = [[]]
    var row = 0
    var column = 0
    /// How many characters were written.
    var count = 0

    /// The lines, without empty ones at the end.
    var text: [String] {
        let last = lines.lastIndex { !$0.isEmpty } ?? 0
        return lines[...last].map { String($0) }
    }

    mutating func write(_ output: SafeText) {
        var rest = output.text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n":
                row += 1
                if row == lines.count { lines.append([]) }
            case "\u{1B}":
                _ = rest.popFirst()
                let parameter = rest.prefix { "0123456789;".unicodeScalars.contains($0) }
                rest = rest.dropFirst(parameter.count)
                act(rest.popFirst() ?? " ", Int(String(parameter)) ?? 1)
            default:
                while lines[row].count < column { lines[row].append(" ") }
                lines[row].replaceSubrange(
                    column..<min(column + 1, lines[row].count),
                    with: [Character(scalar)]
                )
                column += 1
                count += 1
            }
        }
    }

    private mutating func act(_ final: Unicode.Scalar, _ number: Int) {
        switch final {
        case "A": row = max(row - number, 0)
        case "B": row = min(row + number, lines.count - 1)
        case "C": column += number
        case "J":
            lines[row] = Array(lines[row].prefix(column))
            lines.removeSubrange((row + 1)...)
        default: break
        }
    }
}

@Suite("The live part of the screen")
struct LiveScreenTests {
    private func lines(_ texts: [String]) -> [StyledLine] { texts.map { StyledLine($0) } }

    private func position(_ row: Int, _ column: Int) -> LiveScreen.Position {
        LiveScreen.Position(row: row, column: column)
    }

    @Test("final lines stay above, and live lines are replaced")
    func replacing() {
        var terminal = ModelTerminal()
        var screen = LiveScreen(columns: 20, rows: 10, hasStyles: false)
        func draw(_ final: [String], _ live: [String], _ cursor: LiveScreen.Position) {
            terminal.write(screen.draw(final: lines(final), live: lines(live), cursor: cursor))
            #expect(terminal.text.suffix(live.count) == live[...])
            #expect(terminal.row == terminal.text.count - live.count + cursor.row)
            #expect(terminal.column == cursor.column)
        }
        draw([], ["> "], position(0, 2))
        draw(["one"], ["growing", "> x"], position(1, 3))
        draw([], ["growing", "more", "> x"], position(2, 3))
        draw([], ["> x"], position(0, 1))
        draw(["two", "three"], ["a", "b", "> "], position(0, 0))
        draw([], ["a", "b"], position(1, 1))
        draw([], ["a", "b", "c"], position(2, 0))
        #expect(terminal.text == ["one", "two", "three", "a", "b", "c"])
    }

    @Test("what stands is not drawn again")
    func drawing() {
        var terminal = ModelTerminal()
        var screen = LiveScreen(columns: 20, rows: 10, hasStyles: false)
        terminal.write(
            screen.draw(final: [], live: lines(["abcdef", "x"]), cursor: position(1, 1))
        )
        let count = terminal.count
        terminal.write(
            screen.draw(final: [], live: lines(["abcdef", "xy"]), cursor: position(1, 2))
        )
        #expect(terminal.count == count + 2)
        let same = screen.draw(final: [], live: lines(["abcdef", "xy"]), cursor: position(0, 0))
        terminal.write(same)
        #expect(terminal.count == count + 2)
        #expect(terminal.row == 0)
    }

    @Test("of more live lines than rows the last ones are shown")
    func height() {
        var terminal = ModelTerminal()
        var screen = LiveScreen(columns: 20, rows: 3, hasStyles: false)
        let many = (0..<9).map { "line \($0)" }
        terminal.write(screen.draw(final: [], live: lines(many), cursor: position(8, 2)))
        #expect(terminal.text == ["line 6", "line 7", "line 8"])
        terminal.write(screen.erase())
        #expect(terminal.text == [""])
    }

    @Test("any order of changes ends in the same screen")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var terminal = ModelTerminal()
            var screen = LiveScreen(columns: 20, rows: 8, hasStyles: Bool.random())
            var written: [String] = []
            var live: [String] = []
            for step in 0..<20 {
                let count = Int.random(in: 0...2, using: &generator)
                let final = (0..<count).map { "final \(step).\($0)" }
                live = (0..<Int.random(in: 1...6, using: &generator)).map { row in
                    "live \(row) \(Int.random(in: 0...1, using: &generator))"
                }
                let cursor = position(Int.random(in: 0..<live.count, using: &generator), 3)
                terminal.write(screen.draw(final: lines(final), live: lines(live), cursor: cursor))
                written += final
                #expect(terminal.text == written + live)
            }
        }
    }
}

@Suite("A fast answer on a slow line")
struct SlowLineTests {
    @Test("2,000 tokens a second in 200 columns need less than 64 KiB a second, and end exact")
    func speed() {
        let framesPerSecond = 25
        let text = Self.text(characters: 10 * 2000 * 5)
        var terminal = ModelTerminal()
        var screen = LiveScreen(columns: 200, rows: 50, hasStyles: true)
        var stream = MarkdownStream(width: 200)
        var rest = text[...]
        var count = 0
        func draw(_ final: [StyledLine]) {
            let live = stream.open() + [StyledLine("> ")]
            let cursor = LiveScreen.Position(row: live.count - 1, column: 2)
            let output = screen.draw(final: final, live: live, cursor: cursor)
            count += output.text.utf8.count
            terminal.write(output)
        }
        while !rest.isEmpty {
            let piece = rest.prefix(2000 * 5 / framesPerSecond)
            rest = rest.dropFirst(piece.count)
            draw(stream.append(String(piece)))
        }
        draw(stream.finish())
        #expect(count / 10 < 64 << 10)
        var whole = MarkdownStream(width: 200)
        let lines = whole.append(text) + whole.finish()
        #expect(terminal.text == lines.map(\.text) + ["> "])
    }

    /// Paragraphs, lists and code.
    private static func text(characters count: Int) -> String {
        var text = ""
        var number = 0
        while text.count < count {
            number += 1
            text += String(repeating: "word\(number) and more ", count: 60) + "\n\n"
            text += (0..<5).map { "- item \($0) of *list* \(number)\n" }.joined() + "\n"
            text +=
                "```py\n" + (0..<10).map { "x\($0) = \"\(number)\"  # c\n" }.joined() + "```\n\n"
        }
        return text
    }
}
