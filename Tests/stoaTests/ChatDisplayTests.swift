// A conversation on an interactive terminal.

import ChatClient
import ChatProtocol
import TerminalText
import Testing
import stoa

@Suite("A conversation on an interactive screen")
struct ChatDisplayTests {
    private let scene = TeaScene()

    @Test("blocks that are complete are given out, the open one and what follows it are live")
    func growing() {
        var display = ChatDisplay(user: scene.ada.id, width: 40)
        var view = scene.view()
        #expect(display.show([.reloaded], of: view).map(\.text) == ["— Tea (ada) —"])
        #expect(display.said("Tea?", by: "ada").map(\.text) == ["", "ada", "Tea?"])
        let question = scene.message(scene.ada, "Tea?")
        var written: [String] = []
        func play(_ event: ServerEvent) {
            let changes = view.apply(event)
            written += display.show(changes, of: view).map(\.text)
        }
        play(scene.created(2, question))
        var pending = scene.message(nil, "", id: scene.answer)
        pending.parent = question.id
        play(scene.created(3, pending))
        #expect(written == [])
        play(
            .messageQueued(
                MessageQueued(
                    conversation: scene.conversation,
                    message: scene.answer,
                    position: 2,
                    eta: 12
                )
            )
        )
        #expect(display.status?.text == "⋯ queue position 2, about 12 s")
        play(scene.delta(0, "# Green\n\ntea is"))
        #expect(display.status == nil)
        // A line that is not complete may still change what stands before it.
        #expect(written == ["", "phi"])
        #expect(display.live.map(\.text) == ["Green", "", "tea is"])

        // Another speaker waits below the answer.
        var other = scene.message(scene.grace, "Cake?")
        other.parent = scene.answer
        play(scene.created(4, other))
        #expect(display.live.map(\.text) == ["Green", "", "tea is", "", "grace", "Cake?"])
        let text = "# Green\n\ntea is *hot*."
        play(scene.delta(15, " *hot*."))
        play(scene.completed(5, text))
        #expect(display.live.isEmpty)
        #expect(written == ["", "phi", "Green", "", "tea is hot.", "", "grace", "Cake?"])
    }

    @Test("who is typing stands in the status, harmless and cut to the width")
    func typing() {
        var display = ChatDisplay(user: scene.ada.id, width: 20)
        display.show(typing: ["b\u{9B}2Jo"])
        #expect(display.status?.text == "⋯ bo is typing")
        display.show(typing: ["bo", "grace hopper"])
        #expect(display.status.map { ColumnWidth.of($0.text) <= 20 } == true)
        display.show(typing: [])
        #expect(display.status == nil)
    }
}
