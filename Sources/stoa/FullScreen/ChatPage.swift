// The full screen of `stoa tui`, as a value: title, list, thread, status and composer in, cells out.

package import ChatProtocol
package import TerminalText

/// Lays a chat out on a screen.
package struct ChatPage {
    /// A narrower screen has no list beside the thread.
    private static let columnsWithList = 60
    private static let composerRowsMax = 6
    private static let prompt = Span("> ", Style([.bold]))

    package let columns: Int
    package let rows: Int
    /// The user's conversations, in the order of the list.
    package var list: [Conversation] = []
    /// The open conversation.
    package var open: ConversationID?
    /// The row of the list that the keys move; nil while the keys go to the composer.
    package var selected: Int?
    /// The title, the members and the model of the open conversation.
    package var title = ""
    /// What goes on, above the composer.
    package var status = StyledLine()

    /// An empty page of a terminal's size.
    package init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }

    // MARK: Places

    /// The columns of the list; 0 on a narrow screen, where it is shown instead of the thread.
    package var listWidth: Int {
        columns >= Self.columnsWithList ? min(columns / 3, 28) : selected == nil ? 0 : columns
    }

    private var threadColumn: Int { listWidth == 0 ? 0 : listWidth + 2 }

    /// The columns of the thread.
    package var threadWidth: Int {
        columns >= Self.columnsWithList ? max(columns - threadColumn, 1) : columns
    }

    /// The rows of the thread above a composer.
    package func threadHeight(_ editor: LineEditor) -> Int {
        max(rows - 2 - composer(editor).lines.count, 0)
    }

    /// The conversation in a row of the screen.
    package func conversation(row: Int, column: Int) -> ConversationID? {
        guard column < listWidth, row > 0 else { return nil }
        let index = row - 1 + firstListed
        return list.indices.contains(index) ? list[index].id : nil
    }

    /// The list scrolls so far that the selected row is seen.
    private var firstListed: Int { max((selected ?? 0) - (listHeight - 1), 0) }

    private var listHeight: Int { max(rows - 1, 1) }

    // MARK: Cells

    /// The screen, and the place of the cursor.
    package func grid(
        thread: ThreadLines,
        editor: LineEditor
    ) -> (grid: CellGrid, cursor: LiveScreen.Position) {
        var grid = CellGrid(columns: columns, rows: rows)
        grid.put(
            StyledLine(" \(title)", Style([.reverse])),
            row: 0,
            column: 0,
            filling: Style([.reverse])
        )
        let composer = composer(editor)
        let height = threadHeight(editor)
        let lines = thread.window(height: height)
        if threadColumn < columns {
            // A short thread stands above the composer, as in the line mode.
            for (index, line) in lines.enumerated() {
                grid.put(line, row: 1 + height - lines.count + index, column: threadColumn)
            }
            grid.put(status, row: rows - 1 - composer.lines.count, column: threadColumn)
            for (index, line) in composer.lines.enumerated() {
                grid.put(
                    line,
                    row: rows - composer.lines.count + index,
                    column: threadColumn
                )
            }
        }
        putList(in: &grid)
        let cursor = LiveScreen.Position(
            row: selected.map { $0 - firstListed + 1 }
                ?? rows - composer.lines.count + composer.cursor.row,
            column: selected == nil ? threadColumn + composer.cursor.column : 0
        )
        return (grid, cursor)
    }

    private func putList(in grid: inout CellGrid) {
        guard listWidth > 0 else { return }
        for (index, conversation) in list.dropFirst(firstListed).prefix(listHeight).enumerated() {
            let style = style(of: conversation, isSelected: firstListed + index == selected)
            grid.put(
                StyledLine(Self.row(conversation, isOpen: conversation.id == open), style),
                row: index + 1,
                column: 0,
                width: listWidth,
                filling: style.attributes.contains(.reverse) ? style : nil
            )
        }
        guard threadColumn < columns else { return }
        let rule = StyledLine("│", Style([.dim]))
        for row in 1..<max(rows, 2) { grid.put(rule, row: row, column: listWidth, width: 1) }
    }

    private func style(of conversation: Conversation, isSelected: Bool) -> Style {
        var style = Style()
        if conversation.id == open || (conversation.unread ?? 0) > 0 { style = style.adding(.bold) }
        return isSelected ? style.adding(.reverse) : style
    }

    /// For example "▸ Tea", "2 Tea @", "⋯ Tea".
    private static func row(_ conversation: Conversation, isOpen: Bool) -> String {
        var mark = " "
        if let running = conversation.running, running > 0 { mark = "⋯" }
        if isOpen {
            mark = "▸"
        } else if let unread = conversation.unread, unread > 0 {
            mark = unread > 9 ? "+" : "\(unread)"
        }
        let title = conversation.title.isEmpty ? "new conversation" : conversation.title
        let mention = conversation.mentions != nil && !isOpen ? "@" : ""
        return "\(mark) \(mention)\(conversation.pinned == true ? "↑ " : "")\(title)"
    }

    /// The composer's lines around the cursor, and the cursor in them.
    private func composer(
        _ editor: LineEditor
    ) -> (lines: [StyledLine], cursor: LiveScreen.Position) {
        let width = max(threadWidth, 4)
        let layout = PromptLayout(editor, prompt: Self.prompt, columns: width)
        let count = min(layout.lines.count, Self.composerRowsMax, max(rows - 3, 1))
        let first = min(max(layout.cursor.row - count + 1, 0), layout.lines.count - count)
        let cursor = LiveScreen.Position(
            row: layout.cursor.row - first,
            column: layout.cursor.column
        )
        return (Array(layout.lines[first..<first + count]), cursor)
    }
}
