// An answer that grows, in lines: what a reasoning model thinks is dimmed, or one line that says so.

package import ChatProtocol
package import TerminalText
import ThinkingText

/// The lines of one answer, as a value. It has the functions of `MarkdownStream`.
package struct AnswerStream {
    private static let dim = Style([.dim])
    private static let hint = StyledLine("(thinking)", dim)

    private let showsThinking: Bool
    /// Nil for a text that has no parts.
    private var splitter: ThinkingSplitter?
    private var width: Int
    /// The thinking part until it ends; nil without one.
    private var thinking: MarkdownStream?
    private var answer: MarkdownStream

    /// Creates an empty answer.
    /// - Parameters:
    ///   - width: the width in columns.
    ///   - showsThinking: whether the thinking part is shown.
    ///   - role: who wrote the text: only answers have a thinking part.
    package init(width: Int, showsThinking: Bool, of role: MessageRole = .assistant) {
        self.width = width
        splitter = role == .assistant ? ThinkingSplitter() : nil
        self.showsThinking = showsThinking
        answer = MarkdownStream(width: width)
    }

    /// Lays out for another width from now on.
    package mutating func resize(width: Int) {
        self.width = width
        thinking?.resize(width: width)
        answer.resize(width: width)
    }

    /// Adds text.
    /// - Returns: the lines that do not change any more.
    package mutating func append(_ text: String) -> [StyledLine] {
        guard let pieces = splitter?.append(text) else { return answer.append(text) }
        return lines(pieces)
    }

    /// The lines that may change.
    package func open() -> [StyledLine] {
        guard let thinking else { return answer.open() }
        return showsThinking ? Self.dimmed(thinking.open()) : [Self.hint]
    }

    /// Ends the answer.
    /// - Returns: the rest of its lines.
    package mutating func finish() -> [StyledLine] {
        let rest = lines(splitter?.finish() ?? [])
        return rest + endThinking(beforeAnswer: false) + answer.finish()
    }

    private mutating func lines(_ pieces: [ThinkingSplitter.Piece]) -> [StyledLine] {
        var lines: [StyledLine] = []
        for piece in pieces {
            switch piece.part {
            case .thinking:
                var stream = thinking ?? MarkdownStream(width: width)
                thinking = nil
                lines += Self.dimmed(showsThinking ? stream.append(piece.text) : [])
                thinking = stream
            case .answer:
                lines += endThinking(beforeAnswer: true)
                lines += answer.append(piece.text)
            }
        }
        return lines
    }

    private mutating func endThinking(beforeAnswer: Bool) -> [StyledLine] {
        guard var stream = thinking else { return [] }
        thinking = nil
        let lines = showsThinking ? Self.dimmed(stream.finish()) : [Self.hint]
        return lines + (beforeAnswer ? [StyledLine()] : [])
    }

    private static func dimmed(_ lines: [StyledLine]) -> [StyledLine] {
        lines.map { line in
            StyledLine(line.spans.map { Span($0.text, $0.style.adding(.dim)) })
        }
    }
}
