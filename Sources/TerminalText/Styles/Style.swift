// Text with attributes, and its escape sequences (ECMA-48, section 8.3.117: SGR).

/// How characters look.
package struct Style: Hashable, Sendable {
    /// One of the terminal's own colours, so that they fit its background.
    package enum Color: Int, Sendable {
        case red = 31
        case green, yellow, blue, magenta, cyan
        case gray = 90
    }

    /// Attributes besides the colour.
    package struct Attributes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let bold = Self(rawValue: 1)
        package static let dim = Self(rawValue: 2)
        package static let italic = Self(rawValue: 4)
        package static let underline = Self(rawValue: 8)
        package static let strikethrough = Self(rawValue: 16)
        package static let reverse = Self(rawValue: 32)
    }

    package var attributes: Attributes
    package var color: Color?

    /// A style; without arguments that of plain text.
    package init(_ attributes: Attributes = [], color: Color? = nil) {
        self.attributes = attributes
        self.color = color
    }

    /// This style with more attributes.
    package func adding(_ more: Attributes) -> Style {
        Style(attributes.union(more), color: color)
    }

    /// The SGR parameters.
    var parameters: [Int] {
        let codes: [(Attributes, Int)] = [
            (.bold, 1), (.dim, 2), (.italic, 3), (.underline, 4), (.reverse, 7),
            (.strikethrough, 9),
        ]
        let set = codes.filter { attributes.contains($0.0) }.map(\.1)
        return set + (color.map { [$0.rawValue] } ?? [])
    }
}

/// Characters with one style. Control characters are removed when it is made.
package struct Span: Hashable, Sendable {
    package private(set) var text: String
    package var style: Style

    /// A span of any text; line feeds and tabs become spaces.
    package init(_ text: String, _ style: Style = Style()) {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        self.text =
            isPlain
            ? text
            : String(TerminalSanitizer.clean(text).map { $0 == "\n" || $0 == "\t" ? " " : $0 })
        self.style = style
    }

    /// Appends a character that a span had.
    mutating func append(_ character: Character) { text.append(character) }
}

/// A line of the screen.
package struct StyledLine: Hashable, Sendable {
    package private(set) var spans: [Span] = []
    /// Its width in columns.
    package private(set) var width = 0

    /// A line of spans.
    package init(_ spans: [Span] = []) {
        for span in spans { append(span) }
    }

    /// A line of one style.
    package init(_ text: String, _ style: Style = Style()) {
        append(Span(text, style))
    }

    package mutating func append(_ span: Span) {
        guard !span.text.isEmpty else { return }
        spans.append(span)
        width += ColumnWidth.of(span.text)
    }

    /// Appends a character; those of one style share a span.
    mutating func append(_ character: Character, _ style: Style) {
        if spans.last?.style == style {
            spans[spans.count - 1].append(character)
        } else {
            spans.append(Span(String(character), style))
        }
        width += ColumnWidth.of(character)
    }

    /// Its characters without style.
    package var text: String { spans.map(\.text).joined() }

    /// The beginning of the line that takes at most so many columns.
    package func clipped(to columns: Int) -> StyledLine {
        guard width > columns else { return self }
        var line = StyledLine()
        for span in spans {
            for character in span.text {
                if line.width + ColumnWidth.of(character) > columns { return line }
                line.append(character, span.style)
            }
        }
        return line
    }

    /// Another line in front of this one.
    package func following(_ start: StyledLine) -> StyledLine {
        var line = start
        for span in spans { line.append(span) }
        return line
    }

    /// The line for a terminal.
    /// - Parameter hasStyles: whether to write escape sequences.
    /// - Returns: the characters, and escape sequences around them.
    package func output(hasStyles: Bool) -> SafeText {
        var output = ""
        for span in spans {
            let parameters = hasStyles ? span.style.parameters : []
            if parameters.isEmpty {
                output += span.text
            } else {
                let codes = parameters.map(String.init).joined(separator: ";")
                output += "\u{1B}[\(codes)m\(span.text)\u{1B}[0m"
            }
        }
        return SafeText(ours: output)
    }
}
