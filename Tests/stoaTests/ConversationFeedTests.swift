// Lines for scripts: each once, in order, from any byte on.

import ChatProtocol
import TerminalText
import Testing
import stoa

@Suite("A conversation in lines")
struct ConversationFeedTests {
    private let conversation = ConversationID.make()

    private func message(
        _ id: MessageID,
        _ role: MessageRole,
        _ text: String,
        _ state: MessageState = .complete
    ) -> Message {
        Message(
            id: id,
            conversation: conversation,
            parent: nil,
            role: role,
            author: role == .user ? User(id: .make(), name: "ada") : nil,
            text: text,
            state: state,
            createdAt: Timestamp(milliseconds: 0)
        )
    }

    @Test("an answer's text is in its deltas without gaps, and nothing comes twice")
    func growth() {
        let id = MessageID.make()
        var feed = ConversationFeed()
        let states = ["", "Gr", "Grün", "Grün"].enumerated().map { index, text in
            message(id, .assistant, text, index == 3 ? .complete : .streaming)
        }
        let lines = states.flatMap { feed.lines(of: [$0]) }
        #expect(
            lines == [
                .created(states[0]), .delta(id, at: 0, to: 2, text: "Gr"),
                .delta(id, at: 2, to: 5, text: "ün"), .ended(states[3]),
            ]
        )
        #expect(feed.lines(of: [states[3]]) == [])
    }

    @Test("a reader goes on after the byte that it has")
    func resuming() {
        let id = MessageID.make()
        var feed = ConversationFeed()
        feed.skip(id, before: 5)
        let whole = message(id, .assistant, "Green tea.")
        #expect(
            feed.lines(of: [whole]) == [.delta(id, at: 5, to: 10, text: " tea."), .ended(whole)]
        )
    }

    @Test("a transcript names the speakers, and others wait for the end of an answer")
    func transcript() {
        let (first, second) = (MessageID.make(), MessageID.make())
        var text = ConversationText(model: "phi")
        let question = message(.make(), .user, "Tea?")
        let lines: [ConversationLine] = [
            .created(question), .created(message(first, .assistant, "", .queued)),
            .delta(first, at: 0, to: 5, text: "Green"),
            .created(message(second, .user, "And\u{1B}[2J cake?")),
            .delta(first, at: 5, to: 8, text: "\u{9B}2J!"),
            .ended(message(first, .assistant, "Green!")),
        ]
        let written = lines.map { text.text(for: $0).text }.joined()
        #expect(written == "ada: Tea?\n\nphi: Green!\n\nada: And cake?\n\n")
    }

    @Test("a position is a message, with or without a byte")
    func positions() {
        let id = MessageID.make()
        #expect(TailPosition("\(id)")?.offset == 0)
        #expect(TailPosition("\(id):12")?.offset == 12)
        for text in ["", "\(id):", "\(id):-1", "\(id):1:2", "12"] {
            #expect(TailPosition(text) == nil)
        }
    }
}
