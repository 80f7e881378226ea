// The typed text in lines of the screen.

/// The lines of a text that is typed, after a prompt, and the place of the cursor in them.
package struct PromptLayout {
    /// The lines.
    package private(set) var lines: [StyledLine]
    /// Where the cursor stands.
    package private(set) var cursor = LiveScreen.Position(row: 0, column: 0)

    /// Lays out an editor's text.
    /// - Parameters:
    ///   - editor: the text and its cursor.
    ///   - prompt: what stands before the first line; further lines are indented as far.
    ///   - columns: the width of the screen.
    package init(_ editor: LineEditor, prompt: Span, columns: Int) {
        let start = ColumnWidth.of(prompt.text)
        let indent = Span(String(repeating: " ", count: start))
        var line = StyledLine([prompt])
        var lines: [StyledLine] = []
        for index in 0...editor.text.count {
            let character = index < editor.text.count ? editor.text[index] : " "
            let width = ColumnWidth.of(character)
            // A cursor at the end needs a column, too.
            if line.width + width > columns, line.width > start {
                lines.append(line)
                line = StyledLine([indent])
            }
            if index == editor.cursor {
                cursor = LiveScreen.Position(row: lines.count, column: line.width)
            }
            guard index < editor.text.count else { break }
            if character.isNewline {
                lines.append(line)
                line = StyledLine([indent])
            } else {
                line.append(Span(String(character)))
            }
        }
        self.lines = lines + [line]
    }
}
