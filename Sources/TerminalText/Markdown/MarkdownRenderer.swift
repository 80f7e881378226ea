// Lays Markdown out in lines of a terminal.

/// Renders blocks for a width.
package struct MarkdownRenderer: Sendable {
    private static let codeStyle = Style(color: .cyan)
    private static let markStyle = Style([.dim])
    /// Deeper blocks are not indented further.
    private static let widthMin = 20

    /// The width in columns.
    package let width: Int

    /// - Parameter width: the width in columns; at least 20 are used.
    package init(width: Int) {
        self.width = max(width, Self.widthMin)
    }

    /// The lines of blocks, with an empty line in between.
    package func lines(_ blocks: [MarkdownBlock]) -> [StyledLine] {
        // An empty block, such as a code block without lines, is not shown.
        let shown = blocks.map(lines).filter { !$0.isEmpty }
        return Array(shown.joined(separator: [StyledLine()]))
    }

    /// The lines of a block.
    package func lines(_ block: MarkdownBlock) -> [StyledLine] {
        switch block {
        case .paragraph(let inlines):
            return Wrapping.lines(Self.spans(inlines, Style()), width: width)
        case .heading(let level, let inlines):
            let style = level == 1 ? Style([.bold, .underline]) : Style([.bold])
            let mark = level > 2 ? [Span(String(repeating: "#", count: level) + " ", style)] : []
            return Wrapping.lines(mark + Self.spans(inlines, style), width: width)
        case .code(let language, let text): return code(text, language)
        case .quote(let blocks):
            let mark = StyledLine([Span("│ ", Self.markStyle)])
            return inner(2).lines(blocks).map { $0.following(mark) }
        case .list(let list): return lines(list)
        case .table(let table): return TableLayout(table, width: width).lines
        case .rule: return [StyledLine(String(repeating: "─", count: width), Self.markStyle)]
        }
    }

    private func inner(_ columns: Int) -> MarkdownRenderer {
        MarkdownRenderer(width: width - columns)
    }

    // MARK: Blocks

    private func code(_ text: String, _ language: String) -> [StyledLine] {
        let mark = StyledLine([Span("  ")])
        let lines = CodeHighlighter.lines(text, language: language)
        return lines.flatMap { line in
            // Code is split where the line ends, so that its columns stay columns.
            Self.split(line, width: width - 2).map { $0.following(mark) }
        }
    }

    private static func split(_ line: StyledLine, width: Int) -> [StyledLine] {
        guard line.width > width else { return [line] }
        var lines: [StyledLine] = []
        var current = StyledLine()
        for span in line.spans {
            for character in span.text {
                if current.width + ColumnWidth.of(character) > width {
                    lines.append(current)
                    current = StyledLine()
                }
                current.append(character, span.style)
            }
        }
        return lines + [current]
    }

    private func lines(_ list: MarkdownList) -> [StyledLine] {
        var lines: [StyledLine] = []
        let last = (list.start ?? 0) + list.items.count - 1
        let numberWidth = "\(last)".count
        for (index, item) in list.items.enumerated() {
            if index > 0, !list.isTight { lines.append(StyledLine()) }
            var mark = "• "
            if let start = list.start {
                let number = "\(start + index)"
                mark =
                    String(repeating: " ", count: max(numberWidth - number.count, 0))
                    + number + ". "
            }
            if let isDone = item.isDone { mark = isDone ? "☑ " : "☐ " }
            let columns = ColumnWidth.of(mark)
            let renderer = inner(columns)
            let separator = list.isTight ? [] : [StyledLine()]
            var body = Array(item.blocks.map(renderer.lines).joined(separator: separator))
            if body.isEmpty { body = [StyledLine()] }
            let indent = StyledLine(String(repeating: " ", count: columns))
            for (row, line) in body.enumerated() {
                lines.append(line.following(row == 0 ? StyledLine(mark, Self.markStyle) : indent))
            }
        }
        return lines
    }

    // MARK: Inlines

    /// The spans of inlines; a nil is a line break.
    static func spans(_ inlines: [MarkdownInline], _ style: Style) -> [Span?] {
        inlines.flatMap { inline -> [Span?] in
            switch inline {
            case .text(let text): [Span(text, style)]
            case .code(let text): [Span(text, Style(style.attributes, color: .cyan))]
            case .emphasis(let inner): spans(inner, style.adding(.italic))
            case .strong(let inner): spans(inner, style.adding(.bold))
            case .strikethrough(let inner): spans(inner, style.adding(.strikethrough))
            case .softBreak: [Span(" ", style)]
            case .lineBreak: [nil]
            case .link(let inner, let address): link(inner, address, style)
            }
        }
    }

    /// A link's text and its address, which terminals of their own accord make clickable.
    private static func link(
        _ inner: [MarkdownInline],
        _ address: String,
        _ style: Style
    ) -> [Span?] {
        let text = spans(inner, style.adding(.underline))
        let shown = text.compactMap { $0?.text }.joined()
        if address.isEmpty || shown == address || "mailto:\(shown)" == address
            || "http://\(shown)" == address
        {
            return text
        }
        return text + [Span(" (\(address))", Style(style.attributes.union(.dim)))]
    }
}
