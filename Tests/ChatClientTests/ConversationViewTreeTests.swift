// Which branch a client shows while others create new ones.

import ChatClient
import ChatProtocol
import Testing

@Suite("The visible branch")
struct ConversationViewTreeTests {
    let scene = Scene()
    let other = MessageID.make()
    let reply = MessageID.make()
    let later = MessageID.make()

    /// The edited question, with event number 3.
    private func edited() -> ServerEvent {
        var message = scene.message(other, .user, "Coffee?", state: .complete)
        message.parent = nil
        message.siblings = [scene.question, other]
        return scene.created(3, message)
    }

    private func again(_ n: Int64, _ id: MessageID) -> ServerEvent {
        scene.created(n, scene.message(id, parent: scene.question))
    }

    @Test("a view without a selection follows the newest branch")
    func following() {
        var view = scene.view()
        #expect(
            view.apply(edited()) == [.created(other), .siblings(scene.question), .switched]
        )
        #expect(view.messages.map(\.text) == ["Coffee?"])
        #expect(view.message(scene.question)?.siblings == [scene.question, other])
        let answer = scene.message(reply, parent: other)
        #expect(view.apply(scene.created(4, answer)) == [.created(reply)])
        #expect(view.messages.map(\.id) == [other, reply])
        // Hidden answers are updated, too.
        #expect(view.apply(scene.delta(0, "Green")) == [.grew(scene.answer, from: 0)])
        #expect(view.isShown(scene.answer) == false)
        #expect(view.watchRequest.have == [scene.answer.description: 5])
        #expect(view.watchRequest.leaf == reply)
    }

    @Test("a view with a selected branch stays on it, and counts the siblings")
    func staying() {
        var view = scene.view()
        #expect(view.select(scene.question) == [])
        #expect(
            view.apply(again(3, reply)) == [
                .created(reply), .siblings(scene.answer), .siblings(reply),
            ]
        )
        #expect(view.messages.map(\.id) == [scene.question, scene.answer])
        #expect(view.siblings(of: scene.answer) == [scene.answer, reply])
        // New messages on the selected branch are shown.
        let next = scene.message(later, .user, "More?", state: .complete)
        #expect(view.apply(scene.created(4, next)) == [.created(later)])
        #expect(view.messages.map(\.id) == [scene.question, scene.answer, later])
        #expect(view.select(reply) == [.switched])
        #expect(view.messages.map(\.id) == [scene.question, reply])
        #expect(view.select(nil) == [.switched])
        #expect(view.messages.last?.id == later)
    }

    @Test("only the first snapshot applies the user's stored selection")
    func opening() {
        var view = ConversationView(scene.conversation)
        let branch = [
            scene.message(scene.question, .user, "Tea?", state: .complete),
            scene.message(scene.answer, state: .complete),
        ]
        var reply = scene.snapshot(n: 9, branch)
        reply.snapshot?.selected = scene.answer
        _ = view.apply(reply)
        #expect(view.selected == scene.answer)
        #expect(view.watchRequest.leaf == scene.answer)
        reply.snapshot?.selected = nil
        _ = view.apply(reply)
        #expect(view.selected == scene.answer)
    }

    @Test("another branch is loaded, then shown")
    func learning() {
        var view = scene.view()
        _ = view.apply(edited())
        let page = [
            scene.message(reply, .user, "Before", state: .complete, parent: later)
        ]
        #expect(view.select(reply) == [])
        #expect(view.learn(page) == [])
        #expect(view.select(reply) == [.switched])
        #expect(view.messages.map(\.id) == [reply])
        #expect(view.hasOlderMessages)
        let older = scene.message(later, .user, "First", state: .complete, parent: other)
        #expect(view.learn([older]) == [.switched])
        #expect(view.messages.map(\.id) == [other, later, reply])
        #expect(!view.hasOlderMessages)
    }

    @Test("a deletion removes all descendants, and later pages do not restore them")
    func deletion() {
        var view = scene.view()
        _ = view.apply(again(3, reply))
        let deleted = MessageDeleted(conversation: scene.conversation, n: 4, messages: [reply])
        #expect(
            view.apply(.messageDeleted(deleted))
                == [.removed([reply]), .siblings(scene.answer), .switched]
        )
        #expect(view.messages.map(\.id) == [scene.question, scene.answer])
        #expect(view.message(scene.answer)?.siblings == nil)
        #expect(view.learn([scene.message(reply, parent: scene.question)]) == [])
        #expect(view.siblings(of: scene.answer) == [scene.answer])
        #expect(view.lastEvent == 4)
    }

    @Test("restored messages are requested and added")
    func restoring() {
        var view = scene.view()
        let deleted = MessageDeleted(
            conversation: scene.conversation,
            n: 3,
            messages: [scene.answer]
        )
        _ = view.apply(.messageDeleted(deleted))
        let restored = MessageRestored(
            conversation: scene.conversation,
            n: 4,
            messages: [scene.answer]
        )
        _ = view.apply(.messageRestored(restored))
        #expect(view.mismatch != nil)
        #expect(view.watchRequest.after == nil, "only a snapshot tells")
        let messages = [
            scene.message(scene.question, state: .complete),
            scene.message(scene.answer, state: .complete, parent: scene.question),
        ]
        _ = view.apply(scene.snapshot(n: 4, messages))
        #expect(view.mismatch == nil && view.lastEvent == 4)
        #expect(view.messages.map(\.id) == [scene.question, scene.answer])
    }

    @Test("a branch left after a deletion is requested if it was never loaded")
    func missingBranch() {
        var view = ConversationView(scene.conversation)
        var answer = scene.message(scene.answer, state: .complete)
        answer.siblings = [reply, scene.answer]
        _ = view.apply(scene.snapshot(n: 2, [answer]))
        let deleted = MessageDeleted(
            conversation: scene.conversation,
            n: 3,
            messages: [scene.answer]
        )
        _ = view.apply(.messageDeleted(deleted))
        #expect(view.mismatch != nil)
        #expect(view.watchRequest.after == nil)
        _ = view.apply(scene.snapshot(n: 3, [scene.message(reply, parent: scene.question)]))
        #expect(view.mismatch == nil)
        #expect(view.messages.map(\.id) == [reply])
    }

    @Test("ratings of an answer are updated")
    func feedback() {
        var view = scene.view()
        func rate(_ n: Int64, _ rating: Int?) -> [ConversationView.Change] {
            view.apply(
                .messageFeedback(
                    MessageFeedback(
                        conversation: scene.conversation,
                        n: n,
                        message: scene.answer,
                        user: scene.user,
                        rating: rating
                    )
                )
            )
        }
        #expect(rate(3, 1) == [.rated(scene.answer)])
        #expect(rate(4, -1) == [.rated(scene.answer)])
        #expect(view.message(scene.answer)?.feedback?.map(\.rating) == [-1])
        #expect(rate(5, nil) == [.rated(scene.answer)])
        #expect(view.message(scene.answer)?.feedback == nil)
    }

    @Test("a continuation begins with the text of the answer it continues")
    func continuing() {
        var view = scene.view()
        var longer = scene.message(reply, .assistant, "Green", run: scene.run)
        longer.parent = scene.question
        longer.continues = scene.answer
        _ = view.apply(scene.created(3, longer))
        let delta = MessageDelta(
            conversation: scene.conversation,
            message: reply,
            run: scene.run,
            at: 5,
            to: 9,
            text: " tea"
        )
        #expect(view.apply(.messageDelta(delta)) == [.grew(reply, from: 5)])
        #expect(view.message(reply)?.text == "Green tea")
    }
}
