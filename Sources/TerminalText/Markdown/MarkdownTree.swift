// A Markdown text as a value (GitHub Flavored Markdown, github.github.com/gfm).

/// A block of a document.
package indirect enum MarkdownBlock: Hashable, Sendable {
    case paragraph([MarkdownInline])
    case heading(level: Int, [MarkdownInline])
    /// A code block; the language is empty if none is named.
    case code(language: String, text: String)
    case quote([MarkdownBlock])
    case list(MarkdownList)
    case table(MarkdownTable)
    case rule
}

/// A list.
package struct MarkdownList: Hashable, Sendable {
    /// An item.
    package struct Item: Hashable, Sendable {
        /// Whether a task is done; nil if it is no task.
        package var isDone: Bool?
        package var blocks: [MarkdownBlock]
    }

    /// The number of the first item; nil for bullets.
    package var start: Int?
    /// Whether no empty lines separate its items.
    package var isTight: Bool
    package var items: [Item]
}

/// A table.
package struct MarkdownTable: Hashable, Sendable {
    /// Where a column's cells stand.
    package enum Alignment: Hashable, Sendable {
        case left, center, right
    }

    package var alignments: [Alignment]
    /// Rows of cells; the first one is the heading.
    package var rows: [[[MarkdownInline]]]
}

/// A part of a line.
package indirect enum MarkdownInline: Hashable, Sendable {
    case text(String)
    case emphasis([MarkdownInline])
    case strong([MarkdownInline])
    case strikethrough([MarkdownInline])
    case code(String)
    /// A link or a picture, with its address.
    case link([MarkdownInline], address: String)
    case softBreak
    case lineBreak
}
