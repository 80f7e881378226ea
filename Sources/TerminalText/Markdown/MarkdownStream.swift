// Markdown that grows: blocks that a later text cannot change any more are given out once; only the last
// block is laid out again.

/// A growing document.
package struct MarkdownStream {
    private var renderer: MarkdownRenderer
    private var sanitizer = TerminalSanitizer()
    /// The source from the start of the last block.
    private var source = ""
    private var hasLines = false

    /// An empty document.
    /// - Parameter width: the width in columns.
    package init(width: Int) {
        renderer = MarkdownRenderer(width: width)
    }

    /// Changes the width for what is laid out from now on.
    package mutating func resize(width: Int) {
        renderer = MarkdownRenderer(width: width)
    }

    /// Adds text.
    /// - Returns: lines that do not change any more. `open` has the others.
    package mutating func append(_ text: String) -> [StyledLine] {
        source += sanitizer.append(text)
        // A line that is not complete may begin another block than it seems to.
        guard text.utf8.contains(0x0A), let end = source.lastIndex(of: "\n") else { return [] }
        let blocks = MarkdownParser.blocks(String(source[...end]))
        guard blocks.count > 1, let last = blocks.last, last.line > 0 else { return [] }
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard last.line < lines.count else { return [] }
        // The parser does not know where a table begins that follows a paragraph's lines.
        let complete = lines[last.line...].dropLast().map { $0 + "\n" }.joined()
        guard MarkdownParser.blocks(complete).map(\.block) == [last.block] else { return [] }
        source = lines[last.line...].joined(separator: "\n")
        return given(blocks.dropLast().map(\.block))
    }

    /// The lines of the block that may still change.
    package func open() -> [StyledLine] {
        let blocks = MarkdownParser.blocks(source).map(\.block)
        return separated(renderer.lines(blocks))
    }

    /// Ends the document.
    /// - Returns: the rest of its lines.
    package mutating func finish() -> [StyledLine] {
        let blocks = MarkdownParser.blocks(source).map(\.block)
        source = ""
        return given(blocks)
    }

    private mutating func given(_ blocks: [MarkdownBlock]) -> [StyledLine] {
        let lines = separated(renderer.lines(blocks))
        if !lines.isEmpty { hasLines = true }
        return lines
    }

    /// An empty line stands between blocks.
    private func separated(_ lines: [StyledLine]) -> [StyledLine] {
        hasLines && !lines.isEmpty ? [StyledLine()] + lines : lines
    }
}
