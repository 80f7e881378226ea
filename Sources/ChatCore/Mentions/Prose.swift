// A text without its code, as Markdown has it (CommonMark 0.31): fenced blocks, and spans between
// backticks within a paragraph. A fence may stand behind the margins of quotes and lists, whatever they
// are: for what is looked for outside of code, too much code does no harm.

/// What of a text is no code.
enum Prose {
    /// The parts that are no code, in order. It takes time and memory in proportion to the text.
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

    /// The parts of a paragraph that stand in no span. A span ends at the next run of just as many
    /// backticks as it began with; a run that no other follows is text.
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
        // From the last run back, so that each finds the next of its length at once.
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

/// What opened a block of code.
private struct Fence {
    private let mark: Unicode.Scalar
    private let length: Int

    /// Reads the line that opens a block; nil for any other.
    init?(_ line: ArraySlice<Unicode.Scalar>) {
        let content = line.drop { $0 == ">" || $0.properties.isWhitespace }
        guard let mark = content.first, mark == "`" || mark == "~" else { return nil }
        let rest = content.drop { $0 == mark }
        length = content.count - rest.count
        // Code between backticks on one line is a span.
        guard length >= 3, mark == "~" || !rest.contains("`") else { return nil }
        self.mark = mark
    }

    /// Whether a line ends the block.
    func isClosed(by line: ArraySlice<Unicode.Scalar>) -> Bool {
        let content = line.drop { $0 == ">" || $0.properties.isWhitespace }
        let rest = content.drop { $0 == mark }
        return content.count - rest.count >= length
            && rest.allSatisfy(\.properties.isWhitespace)
    }
}
