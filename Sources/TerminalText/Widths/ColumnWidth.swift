// How many columns of a terminal a text takes.

/// Widths in columns: 0 for marks, 2 for East Asian wide characters and emoji, else 1 (UAX #11). A
/// grapheme cluster is as wide as its first scalar, and an emoji cluster (with U+FE0F, or of two
/// regional indicators) is two columns wide, as terminals show them.
package enum ColumnWidth {
    /// The width of a text without line feeds. Complexity: linear.
    package static func of(_ text: some StringProtocol) -> Int {
        // Printable ASCII, the usual case, has as many columns as bytes.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The width of a character.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count > 1 {
            let isEmoji = scalars.contains { $0.value == 0xFE0F }
            let isFlag = (0x1F1E6...0x1F1FF).contains(first.value)
            if isEmoji || isFlag { return 2 }
        }
        return of(first)
    }

    /// The width of a scalar.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7F...0x9F).contains(value) ? 0 : 1 }
        if contains(value, ColumnWidthRanges.none) { return 0 }
        return contains(value, ColumnWidthRanges.wide) ? 2 : 1
    }

    /// Binary search.
    private static func contains(_ value: UInt32, _ ranges: [ClosedRange<UInt32>]) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }

    /// The beginning of a text that takes at most `columns`.
    package static func prefix(_ text: String, columns: Int) -> Substring {
        var width = 0
        var end = text.startIndex
        for index in text.indices {
            width += of(text[index])
            if width > columns { return text[..<end] }
            end = text.index(after: index)
        }
        return text[...]
    }
}
