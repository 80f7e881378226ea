// How a client handles missing, repeated or wrong data: it requests a new watch, and ends with the stored
// text.

import ChatClient
import ChatProtocol
import Testing

@Suite("A conversation that has to be resynchronized")
struct ConversationViewResyncTests {
    let scene = Scene()

    @Test("a missing event is detected and replayed")
    func missedEvent() {
        var view = scene.view()
        let (third, fourth) = (MessageID.make(), MessageID.make())
        let first = scene.created(3, scene.message(third, .user, "One", state: .complete))
        let second = scene.created(
            4,
            scene.message(fourth, .user, "Two", state: .complete, parent: third)
        )
        #expect(view.apply(second) == [])
        #expect(view.mismatch == .missedEvent(after: 2))
        #expect(view.apply(scene.delta(0, "while it waits")) == [])
        #expect(view.watchRequest.after == 2)

        let changes = view.apply(
            ConversationWatchReply(n: 4, events: [first, second], growing: [])
        )
        #expect(changes == [.created(third), .created(fourth)])
        #expect(view.mismatch == nil)
        #expect(view.lastEvent == 4)
    }

    @Test("missing text is detected and requested from the start of its answer")
    func missedText() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green"))
        #expect(view.apply(scene.delta(9, ", hot")) == [])
        #expect(view.mismatch == .missedText(scene.answer))
        #expect(view.watchRequest.have == nil)

        let changes = view.apply(
            ConversationWatchReply(
                n: 2,
                events: [],
                growing: [scene.growing(0, "Green tea, hot")]
            )
        )
        #expect(changes == [.grew(scene.answer, from: 5)])
        #expect(view.message(scene.answer)?.text == "Green tea, hot")
    }

    @Test("a delta whose offsets don't match its text is ignored")
    func wrongOffsets() {
        var view = scene.view()
        let delta = MessageDelta(
            conversation: scene.conversation,
            message: scene.answer,
            run: scene.run,
            at: 0,
            to: 9,
            text: "Green"
        )
        #expect(view.apply(.messageDelta(delta)) == [])
        #expect(view.mismatch == .missedText(scene.answer))
        #expect(view.message(scene.answer)?.text == "")
    }

    @Test("a new run starts at offset 0", arguments: [true, false])
    func restart(isTold: Bool) {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green te"))
        let newRun = RunID.make()
        if isTold { #expect(view.apply(scene.restarted(newRun)) == [.restarted(scene.answer)]) }
        let changes = view.apply(scene.delta(0, "Black", run: newRun))
        let grew = ConversationView.Change.grew(scene.answer, from: 0)
        #expect(changes == (isTold ? [grew] : [.restarted(scene.answer), grew]))
        _ = view.apply(scene.ended(3, stored: "Black", run: newRun))
        #expect(view.message(scene.answer)?.text == "Black")
        #expect(view.mismatch == nil)
    }

    @Test("text of a run whose start was missed is ignored")
    func unknownRun() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green te"))
        let newRun = RunID.make()
        #expect(view.apply(scene.delta(8, "a", run: newRun)) == [])
        #expect(view.mismatch == .missedText(scene.answer))
    }

    @Test("after a reconnect the reply continues from the view's text")
    func reconnect() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green"))
        #expect(view.watchRequest.after == 2)
        #expect(view.watchRequest.have == [scene.answer.description: 5])
        let changes = view.apply(
            ConversationWatchReply(n: 2, events: [], growing: [scene.growing(5, " tea")])
        )
        #expect(changes == [.grew(scene.answer, from: 5)])
        #expect(view.message(scene.answer)?.text == "Green tea")
    }

    @Test("a reply about another run continues after the bytes that it confirms")
    func reconnectToNewRun() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green"))
        let newRun = RunID.make()
        let part = scene.growing(3, "y tea", run: newRun)
        let changes = view.apply(ConversationWatchReply(n: 2, events: [], growing: [part]))
        #expect(changes == [.restarted(scene.answer), .grew(scene.answer, from: 0)])
        #expect(view.message(scene.answer)?.text == "Grey tea")
        #expect(view.apply(scene.delta(8, "!", run: newRun)) == [.grew(scene.answer, from: 8)])
        #expect(view.mismatch == nil)
    }

    @Test("a reply beyond the view's text leads to a request from offset 0")
    func replyBeyond() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green"))
        let part = scene.growing(9, "!")
        _ = view.apply(ConversationWatchReply(n: 2, events: [], growing: [part]))
        #expect(view.mismatch == .missedText(scene.answer))
        #expect(view.watchRequest.have == nil)
        let whole = scene.growing(0, "Green tea!")
        _ = view.apply(ConversationWatchReply(n: 2, events: [], growing: [whole]))
        #expect(view.message(scene.answer)?.text == "Green tea!")
        #expect(view.mismatch == nil)
    }

    @Test("a takeover continues at its stated offset; later text of the old run is discarded")
    func takenOver() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Grün teas"))
        let newRun = RunID.make()
        let changes = view.apply(scene.restarted(newRun, at: 9))
        #expect(changes == [.restarted(scene.answer), .grew(scene.answer, from: 0)])
        #expect(view.message(scene.answer)?.text == "Grün tea")
        // Nothing changes for a view that had no later text.
        let thirdRun = RunID.make()
        #expect(view.apply(scene.restarted(thirdRun, at: 9)) == [])
        _ = view.apply(scene.delta(9, "!", run: thirdRun))
        _ = view.apply(scene.ended(3, stored: "Grün tea!", run: thirdRun))
        #expect(view.message(scene.answer)?.state == .complete)
        #expect(view.mismatch == nil)
    }

    @Test("a takeover beyond the view's text, or inside a character, leads to a new watch")
    func takenOverElsewhere() {
        for at in [3, 12] {
            var view = scene.view()
            _ = view.apply(scene.delta(0, "Grün tea"))
            #expect(view.apply(scene.restarted(.make(), at: at)) == [])
            #expect(view.mismatch == .missedText(scene.answer))
            #expect(view.watchRequest.have == nil)
        }
    }

    @Test("a run that lost text in a crash is cut to its checkpoint")
    func shorterRun() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green tea"))
        let changes = view.apply(
            ConversationWatchReply(n: 2, events: [], growing: [scene.growing(5, "")])
        )
        #expect(changes == [.restarted(scene.answer), .grew(scene.answer, from: 0)])
        #expect(view.message(scene.answer)?.text == "Green")
    }

    @Test("an end with a wrong digest is sent again, with its text")
    func wrongText() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Gruen"))
        #expect(view.apply(scene.ended(3, stored: "Green")) == [])
        #expect(view.mismatch == .wrongText(scene.answer))
        #expect(view.lastEvent == 2)
        #expect(view.watchRequest.after == 2)
        #expect(view.watchRequest.have == nil)

        let changes = view.apply(
            ConversationWatchReply(
                n: 3,
                events: [scene.ended(3, stored: "Green", told: true)],
                growing: []
            )
        )
        #expect(
            changes == [
                .restarted(scene.answer), .grew(scene.answer, from: 0), .ended(scene.answer),
            ]
        )
        #expect(view.message(scene.answer)?.text == "Green")
        #expect(view.lastEvent == 3)
    }

    @Test("canonically equivalent texts are not equal")
    func canonicalEquivalence() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "e\u{301}"))
        _ = view.apply(scene.ended(3, stored: "\u{E9}", told: true))
        let bytes = view.message(scene.answer).map { Array($0.text.utf8) }
        #expect(bytes == [0xC3, 0xA9])
    }

    @Test("a reply that does not match its request leads to a snapshot")
    func wrongReply() {
        var view = scene.view()
        _ = view.apply(scene.created(9, scene.message(.make())))
        _ = view.apply(ConversationWatchReply(n: 9, events: [], growing: []))
        #expect(view.mismatch == .wrongReply)
        #expect(view.watchRequest.after == nil)
        let text = scene.message(scene.answer, .assistant, "Green", state: .complete)
        #expect(view.apply(scene.snapshot(n: 9, [text])) == [.reloaded])
        #expect(view.lastEvent == 9)
        #expect(view.messages.map(\.text) == ["Green"])
    }

    @Test("a snapshot keeps the part of an unfinished answer that its reply continues")
    func snapshotWithGrowing() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green"))
        let streaming = scene.message(scene.answer, state: .streaming, run: scene.run)
        _ = view.apply(
            scene.snapshot(n: 300, [streaming], growing: [scene.growing(5, " tea")])
        )
        #expect(view.message(scene.answer)?.text == "Green tea")
        #expect(view.mismatch == nil)
    }

    @Test("a slow consumer watches again from its last event")
    func lagged() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green"))
        _ = view.apply(.lagged(Lagged(conversation: scene.conversation)))
        #expect(view.mismatch == .lagged)
        #expect(view.watchRequest.after == 2)
        #expect(view.watchRequest.have == [scene.answer.description: 5])
    }
}
