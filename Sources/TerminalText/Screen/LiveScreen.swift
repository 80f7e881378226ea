// The lower part of a terminal, which is drawn again while what stands above it scrolls away: the answer
// that grows, notes, and the line that is typed. A value: lines in, bytes out.

/// Lines above the cursor that may still change.
///
/// What has become final is written once and never drawn again; of the rest only the lines from the
/// first difference on.
package struct LiveScreen: Sendable {
    /// The size of the terminal in columns and rows.
    package private(set) var columns: Int
    package private(set) var rows: Int
    private let hasStyles: Bool
    /// The lines that are drawn, and the row of the cursor among them.
    private var drawn: [SafeText] = []
    private var cursorRow = 0

    /// Where the cursor stands, from the first live line.
    package struct Position: Hashable, Sendable {
        package var row: Int
        package var column: Int

        package init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    /// An empty screen.
    package init(columns: Int, rows: Int, hasStyles: Bool) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        self.hasStyles = hasStyles
    }

    /// Takes the terminal's new size. It has wrapped the drawn lines in its own way, so all are drawn
    /// again below.
    /// - Returns: the bytes to write.
    package mutating func resize(columns: Int, rows: Int) -> SafeText {
        let output = erase()
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        return output
    }

    /// Removes the live lines from the screen.
    /// - Returns: the bytes to write.
    package mutating func erase() -> SafeText {
        let output = "\(Self.up(cursorRow))\r\u{1B}[J" as SafeText
        defer {
            drawn = []
            cursorRow = 0
        }
        return drawn.isEmpty ? "" : output
    }

    /// Draws.
    /// - Parameters:
    ///   - final: lines to write once, above the live ones.
    ///   - live: the live lines; if there are more than rows, the last ones are shown.
    ///   - cursor: where the cursor stands among the live lines.
    /// - Returns: the bytes to write.
    package mutating func draw(
        final: [StyledLine],
        live: [StyledLine],
        cursor: Position
    ) -> SafeText {
        let hidden = max(live.count - rows, 0)
        // A line that the terminal wraps would take another row than this counts.
        let lines = live.dropFirst(hidden).map {
            $0.clipped(to: columns).output(hasStyles: hasStyles)
        }
        let same = final.isEmpty ? zip(drawn, lines).prefix { $0 == $1 }.count : 0
        var output: SafeText = ""
        let isSame = final.isEmpty && same == drawn.count && same == lines.count
        if !isSame {
            // To the first line that differs.
            let target = min(same, max(drawn.count - 1, 0))
            output += Self.move(from: cursorRow, to: target) + "\r"
            if same >= drawn.count, !drawn.isEmpty {
                // Nothing drawn changes; new lines follow.
                output += "\r\n"
            } else {
                output += "\u{1B}[J"
            }
            for line in final { output += line.output(hasStyles: hasStyles) + "\r\n" }
            let new = lines[min(same, lines.count)...]
            output += new.joined(separator: "\r\n")
            if new.isEmpty, same > 0, same < drawn.count { output += "\u{1B}[A" }
            cursorRow = max(lines.count - 1, 0)
        }
        drawn = lines
        if lines.isEmpty { return output }
        let row = min(max(cursor.row - hidden, 0), max(lines.count - 1, 0))
        output += Self.move(from: cursorRow, to: row) + "\r" + Self.right(cursor.column)
        cursorRow = row
        return output
    }

    private static func move(from row: Int, to target: Int) -> SafeText {
        target < row ? up(row - target) : target > row ? "\u{1B}[\(target - row)B" : ""
    }

    private static func up(_ count: Int) -> SafeText { count > 0 ? "\u{1B}[\(count)A" : "" }

    private static func right(_ count: Int) -> SafeText { count > 0 ? "\u{1B}[\(count)C" : "" }
}
