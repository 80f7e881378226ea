// Aligned columns.

import TerminalText

enum Table {
    /// Columns as wide as their widest cells, with control sequences removed.
    static func lines(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map(oneLine) }
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { ColumnWidth.of($0[column]) }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - ColumnWidth.of(cell))
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func oneLine(_ cell: String) -> String {
        String(TerminalSanitizer.clean(cell).map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }
}
