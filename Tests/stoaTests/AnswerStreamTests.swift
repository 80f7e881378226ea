// What a reasoning model thinks, in a terminal and in a pipe.

import ChatProtocol
import TerminalText
import Testing
import stoa

@Suite("An answer with a thinking part")
struct AnswerStreamTests {
    private static let answer = "<think>I *add*.</think>\n\nIt is **4**.\n"

    /// The lines of a text that comes in pieces of this length.
    private func lines(
        _ text: String,
        by length: Int,
        showsThinking: Bool = true,
        of role: MessageRole = .assistant
    ) -> [StyledLine] {
        var stream = AnswerStream(width: 40, showsThinking: showsThinking, of: role)
        var lines: [StyledLine] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines += stream.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return lines + stream.finish()
    }

    @Test("has it dimmed above, wherever the text is split", arguments: 1...14)
    func dimmed(length: Int) {
        let lines = lines(Self.answer, by: length)
        #expect(lines.map(\.text) == ["I add.", "", "It is 4."])
        #expect(lines[0].spans.allSatisfy { $0.style.attributes.contains(.dim) })
        #expect(lines[2].spans.allSatisfy { !$0.style.attributes.contains(.dim) })
    }

    @Test("without it has a line that says so, also while it grows")
    func hidden() {
        let lines = lines(Self.answer, by: 3, showsThinking: false)
        #expect(lines.map(\.text) == ["(thinking)", "", "It is 4."])
        var stream = AnswerStream(width: 40, showsThinking: false)
        #expect(stream.append("<think>I") == [])
        #expect(stream.open().map(\.text) == ["(thinking)"])
        #expect(stream.finish().map(\.text) == ["(thinking)"])
    }

    @Test("is plain for other texts: of people, and of answers that do not think")
    func others() {
        #expect(lines("It is 4.", by: 2).map(\.text) == ["It is 4."])
        #expect(lines("<thin", by: 2).map(\.text) == ["<thin"])
        let question = lines("a <think> b", by: 3, of: .user)
        #expect(question.map(\.text).joined().contains("b"))
    }

    @Test("is its answer alone in a pipe")
    func piped() {
        let id = MessageID.make()
        var text = ConversationText(only: id, model: "")
        let pieces = ["<thi", "nk>I add.</th", "ink>\n\nIt ", "is 4."]
        var (at, written) = (0, "")
        for piece in pieces {
            let end = at + piece.utf8.count
            written += text.text(for: .delta(id, at: at, to: end, text: piece)).text
            at = end
        }
        #expect(written == "It is 4.")
    }
}
