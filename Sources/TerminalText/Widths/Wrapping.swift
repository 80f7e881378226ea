// Breaks text into lines of a width.

/// Breaks spans at spaces, at line feeds that were kept, and between wide characters; a longer word is
/// split. Complexity: linear.
package struct Wrapping {
    private let width: Int
    private var lines: [StyledLine] = []
    private var line = StyledLine()
    private var word = StyledLine()
    private var space: (Character, Style)?

    /// Breaks spans.
    /// - Parameters:
    ///   - spans: the text; a nil is a line break.
    ///   - width: the width in columns, at least 1.
    /// - Returns: at least one line.
    package static func lines(_ spans: [Span?], width: Int) -> [StyledLine] {
        var wrapping = Wrapping(width: max(width, 1))
        for span in spans {
            if let span { wrapping.add(span) } else { wrapping.breakLine() }
        }
        wrapping.breakLine()
        return wrapping.lines
    }

    private init(width: Int) {
        self.width = width
    }

    private mutating func add(_ span: Span) {
        for character in span.text {
            if character == " " {
                endWord()
                space = (" ", span.style)
            } else if ColumnWidth.of(character) == 2 {
                endWord()
                word.append(character, span.style)
                endWord()
            } else {
                word.append(character, span.style)
            }
        }
    }

    private mutating func endWord() {
        guard !word.spans.isEmpty else { return }
        defer {
            word = StyledLine()
            space = nil
        }
        let gap = line.width > 0 && space != nil ? 1 : 0
        if line.width + gap + word.width <= width {
            if gap > 0, let space { line.append(space.0, space.1) }
            append(word)
            return
        }
        if line.width > 0 { endLine() }
        guard word.width > width else {
            append(word)
            return
        }
        for span in word.spans {
            for character in span.text {
                if line.width > 0, line.width + ColumnWidth.of(character) > width { endLine() }
                line.append(character, span.style)
            }
        }
    }

    private mutating func append(_ word: StyledLine) {
        for span in word.spans {
            for character in span.text { line.append(character, span.style) }
        }
    }

    private mutating func breakLine() {
        endWord()
        space = nil
        endLine()
    }

    private mutating func endLine() {
        lines.append(line)
        line = StyledLine()
    }
}
