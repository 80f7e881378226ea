// Lays a table out in columns.

/// A table for a width: columns as wide as their widest cells; if that is too wide, the widest columns
/// are narrowed, and their cells wrapped.
struct TableLayout {
    private static let separator = Span(" │ ", Style([.dim]))
    private static let columnMin = 3

    private let table: MarkdownTable
    private let cells: [[[Span?]]]
    private let widths: [Int]

    init(_ table: MarkdownTable, width: Int) {
        self.table = table
        let cells = table.rows.enumerated().map { index, row in
            row.map { MarkdownRenderer.spans($0, index == 0 ? Style([.bold]) : Style()) }
        }
        self.cells = cells
        let natural = table.alignments.indices.map { column in
            cells.map { row in
                guard row.indices.contains(column) else { return 0 }
                return row[column].reduce(0) { $0 + ($1.map { ColumnWidth.of($0.text) } ?? 0) }
            }.max() ?? 0
        }
        let room = width - 3 * max(natural.count - 1, 0)
        widths = Self.fitted(natural, room: room)
    }

    /// Widths that fit into `room` if possible: all columns get the same, and what narrow ones do
    /// not need is shared by the others.
    static func fitted(_ natural: [Int], room: Int) -> [Int] {
        guard natural.reduce(0, +) > room else { return natural.map { max($0, 1) } }
        var widths = natural.map { _ in 0 }
        var left = room
        let order = natural.indices.sorted { natural[$0] < natural[$1] }
        for (place, column) in order.enumerated() {
            let share = max(left / (order.count - place), columnMin)
            widths[column] = max(min(natural[column], share), 1)
            left -= widths[column]
        }
        return widths
    }

    var lines: [StyledLine] {
        var lines: [StyledLine] = []
        for (index, row) in cells.enumerated() {
            lines += self.lines(row)
            if index == 0 {
                let parts = widths.map { String(repeating: "─", count: $0) }
                lines.append(StyledLine(parts.joined(separator: "─┼─"), Style([.dim])))
            }
        }
        return lines
    }

    private func lines(_ row: [[Span?]]) -> [StyledLine] {
        let columns = widths.indices.map { column in
            row.indices.contains(column)
                ? Wrapping.lines(row[column], width: widths[column]) : [StyledLine()]
        }
        let height = columns.map(\.count).max() ?? 0
        return (0..<height).map { index in
            var line = StyledLine()
            for (column, wrapped) in columns.enumerated() {
                if column > 0 { line.append(Self.separator) }
                let cell = index < wrapped.count ? wrapped[index] : StyledLine()
                let space = max(widths[column] - cell.width, 0)
                let before =
                    switch table.alignments[column] {
                    case .left: 0
                    case .center: space / 2
                    case .right: space
                    }
                line.append(Span(String(repeating: " ", count: before)))
                for span in cell.spans { line.append(span) }
                let isLast = column == columns.count - 1
                if !isLast { line.append(Span(String(repeating: " ", count: space - before))) }
            }
            return line
        }
    }
}
