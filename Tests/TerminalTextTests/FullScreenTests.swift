// What a full screen shows after its drawings, on a model of a terminal.

import TerminalText
import Testing

/// A terminal that knows what `FullScreen` writes: places, styles, erasing.
private struct GridTerminal {
    let columns: Int
    var cells: [[Character]]
    var row = 0
    var column = 0
    /// How many characters were written.
    var count = 0

    init(columns: Int, rows: Int) {
        self.columns = columns
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// The rows without spaces at their ends. The second half of a wide character is a line feed.
    var text: [String] {
        cells.map { row in
            let end = row.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0
            return String(row[..<end].filter { $0 != "\n" })
        }
    }

    mutating func write(_ output: SafeText) {
        var rest = output.text[...]
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                put(character)
                continue
            }
            _ = rest.popFirst()
            let parameters = rest.prefix { "0123456789;".contains($0) }
            rest = rest.dropFirst(parameters.count)
            let numbers = parameters.split(separator: ";").compactMap { Int($0) }
            switch rest.popFirst() {
            case "H": (row, column) = numbers.count == 2 ? (numbers[0] - 1, numbers[1] - 1) : (0, 0)
            case "J": self = GridTerminal(columns: columns, rows: cells.count)
            case "K": for index in column..<columns { set(index, " ") }
            default: break
            }
        }
    }

    private mutating func put(_ character: Character) {
        let width = ColumnWidth.of(character)
        set(column, character)
        if width == 2 { set(column + 1, "\n") }
        column += width
        count += 1
    }

    private mutating func set(_ column: Int, _ character: Character) {
        // A terminal blanks the other half of a wide character.
        if cells[row][column] == "\n", character != "\n" { cells[row][column - 1] = " " }
        if column + 1 < columns, cells[row][column + 1] == "\n" { cells[row][column + 1] = " " }
        cells[row][column] = character
    }
}

@Suite("A full screen")
struct FullScreenTests {
    private let home = LiveScreen.Position(row: 0, column: 0)

    private func grid(_ lines: [String], columns: Int = 20, rows: Int = 5) -> CellGrid {
        var grid = CellGrid(columns: columns, rows: rows)
        for (row, line) in lines.enumerated() { grid.put(StyledLine(line), row: row, column: 0) }
        return grid
    }

    @Test("only what differs is written, and the cursor stands where it belongs")
    func differences() {
        var terminal = GridTerminal(columns: 20, rows: 5)
        var screen = FullScreen(hasStyles: true)
        terminal.write(screen.draw(grid(["one", "two", "three"]), cursor: home))
        #expect(terminal.text == ["one", "two", "three", "", ""])
        let count = terminal.count
        let cursor = LiveScreen.Position(row: 1, column: 2)
        terminal.write(screen.draw(grid(["one", "twx", "three"]), cursor: cursor))
        #expect(terminal.text == ["one", "twx", "three", "", ""])
        #expect(terminal.count == count + 1)
        #expect((terminal.row, terminal.column) == (1, 2))
        #expect(screen.draw(grid(["one", "twx", "three"]), cursor: cursor).text == "\u{1B}[2;3H")
    }

    @Test("a wide character is never cut in half, neither in the grid nor on the terminal")
    func wide() {
        #expect(grid(["緑茶茶"], columns: 5, rows: 1).text == ["緑茶"])
        var terminal = GridTerminal(columns: 6, rows: 1)
        var screen = FullScreen(hasStyles: false)
        for line in ["緑茶緑", "a茶緑", "a緑b", "緑茶", "abcdef", "緑b茶", ""] {
            let grid = grid([line], columns: 6, rows: 1)
            terminal.write(screen.draw(grid, cursor: home))
            #expect(terminal.text == [line])
            #expect(grid.text == [line])
        }
        var over = grid(["緑茶"], columns: 6, rows: 1)
        over.put(StyledLine("x"), row: 0, column: 1)
        #expect(over.text == [" x茶"])
    }

    @Test("styles are written where they change, and without them only text")
    func styles() {
        var grid = CellGrid(columns: 6, rows: 1)
        grid.put(StyledLine("ab", Style([.bold])), row: 0, column: 0)
        grid.put(StyledLine("c"), row: 0, column: 2)
        var styled = FullScreen(hasStyles: true)
        #expect(
            styled.draw(grid, cursor: home).text
                == "\u{1B}[H\u{1B}[2J\u{1B}[1;1H\u{1B}[0;1mab\u{1B}[0mc\u{1B}[1;1H"
        )
        var plain = FullScreen(hasStyles: false)
        #expect(!plain.draw(grid, cursor: home).text.contains("m"))
    }

    @Test("any order of screens and sizes ends in the same screen")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let characters: [Character] = ["a", "b", " ", " ", "緑", "é", "👩‍🚀", "🇫🇮"]
        for _ in 0..<100 {
            let columns = Int.random(in: 1...12, using: &generator)
            var terminal = GridTerminal(columns: columns, rows: 3)
            var screen = FullScreen(hasStyles: Bool.random(using: &generator))
            for _ in 0..<20 {
                var grid = CellGrid(columns: columns, rows: 3)
                for row in 0..<3 {
                    let count = Int.random(in: 0...12, using: &generator)
                    let text = String(
                        (0..<count).map { _ in characters.randomElement(using: &generator) ?? " " }
                    )
                    let style = Style(Bool.random(using: &generator) ? [.bold] : [])
                    grid.put(
                        StyledLine(text, style),
                        row: row,
                        column: Int.random(in: 0...3, using: &generator)
                    )
                }
                if Int.random(in: 0..<10, using: &generator) == 0 { screen.forget() }
                terminal.write(screen.draw(grid, cursor: home))
                #expect(terminal.text == grid.text)
            }
        }
    }
}
