// A full screen as cells: what stands where. A value without a terminal.

/// Columns and rows of characters with styles.
package struct CellGrid: Hashable, Sendable {
    /// One place of the screen.
    enum Cell: Hashable, Sendable {
        /// A character that begins here, with its style.
        case character(Character, Style)
        /// The second column of a wide character.
        case continuation

        static let blank = Cell.character(" ", Style())
    }

    package let columns: Int
    package let rows: Int
    private(set) var cells: [Cell]

    /// An empty screen; at least one cell.
    package init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        cells = Array(repeating: .blank, count: self.columns * self.rows)
    }

    /// Writes a line over what stands there.
    /// - Parameters:
    ///   - line: its characters; what is outside of the grid or beyond `width` is cut off.
    ///   - row: the row, from 0.
    ///   - column: the first column, from 0.
    ///   - width: the columns that the line may take; the rest of the screen's row by default.
    ///   - filling: the style of the columns that the line leaves free; nil leaves them as they are.
    package mutating func put(
        _ line: StyledLine,
        row: Int,
        column: Int,
        width: Int? = nil,
        filling: Style? = nil
    ) {
        guard row >= 0, row < rows, column >= 0, column < columns else { return }
        let end = min(column + (width ?? columns), columns)
        var place = column
        for span in line.spans {
            for character in span.text {
                let count = ColumnWidth.of(character)
                // A mark that belongs to no character has no cell.
                if count == 0 { continue }
                guard place + count <= end else { break }
                set(row, place, .character(character, span.style))
                if count == 2 { set(row, place + 1, .continuation) }
                place += count
            }
        }
        guard let filling else { return }
        while place < end {
            set(row, place, .character(" ", filling))
            place += 1
        }
    }

    /// The cells of a row.
    func cells(ofRow row: Int) -> ArraySlice<Cell> {
        cells[row * columns..<(row + 1) * columns]
    }

    /// The rows as text, without spaces at their ends.
    package var text: [String] {
        (0..<rows).map { row in
            let characters = cells(ofRow: row).compactMap { cell -> Character? in
                if case .character(let character, _) = cell { character } else { nil }
            }
            let end = characters.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0
            return String(characters[..<end])
        }
    }

    private mutating func set(_ row: Int, _ column: Int, _ cell: Cell) {
        let index = row * columns + column
        // Half of a wide character cannot stay.
        if case .continuation = cells[index], column > 0, cell != .continuation {
            cells[index - 1] = .blank
        }
        if column + 1 < columns, case .continuation = cells[index + 1] {
            cells[index + 1] = .blank
        }
        cells[index] = cell
    }
}
