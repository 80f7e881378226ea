// A Markdown text (CommonMark 0.31) without its code: fenced blocks, and code spans within a
// paragraph. A fence is recognized behind any margin of quotes and lists: to treat too much as code
// does no harm to a search for prose.

/// The parts of a text that are not code.
enum Prose {
    /// The parts that are not code, in order. Complexity: linear in time and memory.
    static func parts(of text: [Unicode.Scalar]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var paragraph: Int?
        var fence: Fence?
        var start = 0
        func endParagraph(at end: Int) {
            if let paragraph { parts += partsOutsideSpans(of: text, in: paragraph..<end) }
            paragraph = nil
        }
        while start < text.count {
            let end = text[start...].firstIndex(of: "\n") ?? text.count
            let line = text[start..<end]
            if let open = fence {
                if open.isClosed(by: line) { fence = nil }
            } else if let opened = Fence(line) {
                endParagraph(at: start)
                fence = opened
            } else if line.allSatisfy(\.properties.isWhitespace) {
                endParagraph(at: start)
            } else {
                paragraph = paragraph ?? start
            }
            start = end + 1
        }
        endParagraph(at: text.count)
        return parts
    }

    /// The parts of a paragraph outside code spans. A span ends at the next run of exactly as many
    /// backticks as opened it; a run without such a partner is text.
    private static func partsOutsideSpans(
        of text: [Unicode.Scalar],
        in paragraph: Range<Int>
    ) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var index = paragraph.lowerBound
        while let start = text[index..<paragraph.upperBound].firstIndex(of: "`") {
            let end = text[start..<paragraph.upperBound].firstIndex { $0 != "`" }
            index = end ?? paragraph.upperBound
            runs.append(start..<index)
        }
        // Backwards, so that each run finds the next one of its length at once.
        var next: [Int: Int] = [:]
        var closing = [Int?](repeating: nil, count: runs.count)
        for (number, run) in runs.enumerated().reversed() {
            closing[number] = next[run.count]
            next[run.count] = number
        }
        var parts: [Range<Int>] = []
        var start = paragraph.lowerBound
        var number = 0
        while number < runs.count {
            if let last = closing[number] {
                parts.append(start..<runs[number].lowerBound)
                start = runs[last].upperBound
                number = last
            }
            number += 1
        }
        parts.append(start..<paragraph.upperBound)
        return parts
    }
}

/// The opening fence of a code block.
private struct Fence {
    private let mark: Unicode.Scalar
    private let length: Int

    /// Parses the opening line of a block; nil for any other line.
    init?(_ line: ArraySlice<Unicode.Scalar>) {
        let content = line.drop { $0 == ">" || $0.properties.isWhitespace }
        guard let mark = content.first, mark == "`" || mark == "~" else { return nil }
        let rest = content.drop { $0 == mark }
        length = content.count - rest.count
        // Three backticks closed on the same line are a code span.
        guard length >= 3, mark == "~" || !rest.contains("`") else { return nil }
        self.mark = mark
    }

    /// Whether a line closes the block.
    func isClosed(by line: ArraySlice<Unicode.Scalar>) -> Bool {
        let content = line.drop { $0 == ">" || $0.properties.isWhitespace }
        let rest = content.drop { $0 == mark }
        return content.count - rest.count >= length
            && rest.allSatisfy(\.properties.isWhitespace)
    }
}
