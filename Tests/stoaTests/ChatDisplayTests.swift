// A conversation on an interactive terminal.

import ChatClient
import ChatProtocol
import Digests
import TerminalText
import Testing
import stoa

@Suite("A conversation on an interactive screen")
struct ChatDisplayTests {
    private let conversation = ConversationID.make()
    private let ada = User(id: .make(), name: "ada")
    private let grace = User(id: .make(), name: "gr\u{1B}[2Jace")
    private let answer = MessageID.make()
    private let run = RunID.make()

    private func message(_ author: User?, _ text: String, id: MessageID = .make()) -> Message {
        Message(
            id: id,
            conversation: conversation,
            parent: nil,
            role: author == nil ? .assistant : .user,
            author: author,
            text: text,
            state: author == nil ? .queued : .complete,
            createdAt: Timestamp(milliseconds: 0)
        )
    }

    private func view() -> ConversationView {
        var view = ConversationView(conversation)
        let all = Conversation(
            id: conversation,
            title: "Tea",
            systemPrompt: "",
            model: "phi",
            role: .owner,
            members: [Member(user: ada, role: .owner)],
            settings: GenerationSettings(),
            n: 1,
            createdAt: Timestamp(milliseconds: 0),
            updatedAt: Timestamp(milliseconds: 0)
        )
        let snapshot = ConversationSnapshot(conversation: all, messages: [], more: false)
        _ = view.apply(ConversationWatchReply(n: 1, snapshot: snapshot, growing: []))
        return view
    }

    private func created(_ n: Int64, _ message: Message) -> ServerEvent {
        .messageCreated(MessageCreated(conversation: conversation, n: n, message: message))
    }

    private func delta(_ at: Int, _ text: String) -> ServerEvent {
        .messageDelta(
            MessageDelta(
                conversation: conversation,
                message: answer,
                run: run,
                at: at,
                to: at + text.utf8.count,
                text: text
            )
        )
    }

    @Test("blocks that are complete are given out, the open one and what follows it are live")
    func growing() {
        var display = ChatDisplay(user: ada.id, width: 40)
        var view = view()
        #expect(display.show([.reloaded], of: view).map(\.text) == ["— Tea (ada) —"])
        #expect(display.said("Tea?", by: "ada").map(\.text) == ["", "ada", "Tea?"])
        let question = message(ada, "Tea?")
        var written: [String] = []
        func play(_ event: ServerEvent) {
            let changes = view.apply(event)
            written += display.show(changes, of: view).map(\.text)
        }
        play(created(2, question))
        var pending = message(nil, "", id: answer)
        pending.parent = question.id
        play(created(3, pending))
        #expect(written == [])
        play(
            .messageQueued(
                MessageQueued(conversation: conversation, message: answer, position: 2, eta: 12)
            )
        )
        #expect(display.status?.text == "⋯ queue position 2, about 12 s")
        play(delta(0, "# Green\n\ntea is"))
        #expect(display.status == nil)
        // A line that is not complete may still change what stands before it.
        #expect(written == ["", "phi"])
        #expect(display.live.map(\.text) == ["Green", "", "tea is"])

        // Another speaker waits below the answer.
        var other = message(grace, "Cake?")
        other.parent = answer
        play(created(4, other))
        #expect(display.live.map(\.text) == ["Green", "", "tea is", "", "grace", "Cake?"])
        let text = "# Green\n\ntea is *hot*."
        play(delta(15, " *hot*."))
        play(
            .messageCompleted(
                MessageEnded(
                    conversation: conversation,
                    n: 5,
                    message: answer,
                    run: run,
                    to: text.utf8.count,
                    sha256: SHA256.digest(of: text).hexadecimal,
                    usage: nil,
                    finish: .stop
                )
            )
        )
        #expect(display.live.isEmpty)
        #expect(written == ["", "phi", "Green", "", "tea is hot.", "", "grace", "Cake?"])
    }

    @Test("who is typing stands in the status, harmless and cut to the width")
    func typing() {
        var display = ChatDisplay(user: ada.id, width: 20)
        display.show(typing: ["b\u{9B}2Jo"])
        #expect(display.status?.text == "⋯ bo is typing")
        display.show(typing: ["bo", "grace hopper"])
        #expect(display.status.map { ColumnWidth.of($0.text) <= 20 } == true)
        display.show(typing: [])
        #expect(display.status == nil)
    }
}
