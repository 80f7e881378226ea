// A full screen that is drawn by differences (ECMA-48: CUP, EL, SGR). A value: grids in, bytes out.

/// What stands on a terminal, and how to change it.
package struct FullScreen: Sendable {
    /// Equal cells between two changes are written again, if moving the cursor takes more bytes.
    private static let gapMax = 6

    private let hasStyles: Bool
    /// What stands on the terminal; nil if that is not known.
    private var shown: CellGrid?

    /// A terminal of which nothing is known.
    package init(hasStyles: Bool) {
        self.hasStyles = hasStyles
    }

    /// Forgets what stands on the terminal: the next drawing begins with an empty one.
    package mutating func forget() { shown = nil }

    /// Draws the cells that differ.
    /// - Parameters:
    ///   - grid: the whole screen, in the size of the terminal.
    ///   - cursor: where the cursor stands afterwards.
    /// - Returns: the bytes to write.
    package mutating func draw(_ grid: CellGrid, cursor: LiveScreen.Position) -> SafeText {
        var pen = Pen(hasStyles: hasStyles)
        let old: CellGrid
        if let shown, shown.columns == grid.columns, shown.rows == grid.rows {
            old = shown
        } else {
            old = CellGrid(columns: grid.columns, rows: grid.rows)
            pen.clear()
        }
        for row in 0..<grid.rows { draw(row, of: grid, over: old, with: &pen) }
        pen.plain()
        let column = min(max(cursor.column, 0), grid.columns - 1)
        pen.move(row: min(max(cursor.row, 0), grid.rows - 1), column: column)
        shown = grid
        return SafeText(ours: pen.output)
    }

    private func draw(
        _ row: Int,
        of grid: CellGrid,
        over old: CellGrid,
        with pen: inout Pen
    ) {
        let (new, before) = (Array(grid.cells(ofRow: row)), Array(old.cells(ofRow: row)))
        guard new != before else { return }
        // Blanks at the end are erased in one step.
        let end = (new.lastIndex { $0 != .blank } ?? -1) + 1
        var column = 0
        var written = -1
        while column < end {
            defer { column += 1 }
            guard new[column] != before[column] else { continue }
            var start = column
            if written >= 0, column - written <= Self.gapMax { start = written }
            if new[start] == .continuation { start -= 1 }
            var index = start
            while index < end, index <= column || new[index] == .continuation {
                if case .character(let character, let style) = new[index] {
                    pen.write(character, style, row: row, column: index)
                }
                index += 1
            }
            written = index
            column = index - 1
        }
        if end < new.count, before[end...].contains(where: { $0 != .blank }) {
            pen.eraseRest(row: row, column: end)
        }
    }
}

/// Writes characters with the fewest movements and styles.
private struct Pen {
    let hasStyles: Bool
    private(set) var output = ""
    private var style = Style()
    /// Where the terminal's cursor stands; nil if that is not known.
    private var place: (row: Int, column: Int)?

    init(hasStyles: Bool) {
        self.hasStyles = hasStyles
    }

    mutating func clear() { output += "\u{1B}[H\u{1B}[2J" }

    mutating func move(row: Int, column: Int) {
        if let place, place == (row, column) { return }
        output += "\u{1B}[\(row + 1);\(column + 1)H"
        place = (row, column)
    }

    mutating func write(_ character: Character, _ new: Style, row: Int, column: Int) {
        move(row: row, column: column)
        set(new)
        output.append(character)
        // Terminals differ in the width of clusters.
        let isCertain = character.unicodeScalars.count == 1
        place = isCertain ? (row, column + ColumnWidth.of(character)) : nil
    }

    mutating func eraseRest(row: Int, column: Int) {
        plain()
        move(row: row, column: column)
        output += "\u{1B}[K"
    }

    mutating func plain() { set(Style()) }

    private mutating func set(_ new: Style) {
        guard hasStyles, new != style else { return }
        let parameters = ([0] + new.parameters).map(String.init).joined(separator: ";")
        output += "\u{1B}[\(parameters)m"
        style = new
    }
}
