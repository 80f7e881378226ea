// A client's state of a conversation when all messages arrive in order.

import ChatClient
import ChatProtocol
import Testing

@Suite("A followed conversation")
struct ConversationViewTests {
    let scene = Scene()

    @Test("an answer's deltas are appended by offset and verified at the end")
    func wholeAnswer() throws {
        var view = scene.view()
        #expect(
            view.apply(scene.started(scene.run)) == [.started(scene.answer, droppedMessages: 0)]
        )
        #expect(view.apply(scene.delta(0, "Grün")) == [.grew(scene.answer, from: 0)])
        #expect(view.apply(scene.delta(5, "er Tee 🍵")) == [.grew(scene.answer, from: 5)])
        #expect(view.watchRequest.have == [scene.answer.description: 16])
        #expect(view.apply(scene.ended(3, stored: "Grüner Tee 🍵")) == [.ended(scene.answer)])

        let answer = try #require(view.message(scene.answer))
        #expect(answer.text == "Grüner Tee 🍵")
        #expect(answer.state == .complete)
        #expect(answer.usage?.completionTokens == 3)
        #expect(view.lastEvent == 3)
        #expect(view.mismatch == nil)
        #expect(view.unfinishedAnswers.isEmpty)
    }

    @Test("duplicates have no effect")
    func repeats() {
        var view = scene.view()
        _ = view.apply(scene.delta(0, "Green tea"))
        #expect(view.apply(scene.delta(0, "Green")) == [])
        #expect(view.apply(scene.delta(6, "tea, hot")) == [.grew(scene.answer, from: 9)])
        #expect(view.message(scene.answer)?.text == "Green tea, hot")
        #expect(view.apply(scene.created(2, scene.message(scene.answer))) == [])
        _ = view.apply(scene.ended(3, stored: "Green tea, hot"))
        #expect(view.apply(scene.delta(0, "Green tea, hot!")) == [])
        #expect(view.message(scene.answer)?.text == "Green tea, hot")
    }

    @Test("the queue position is known until the answer starts")
    func queue() {
        var view = scene.view()
        let queued = MessageQueued(
            conversation: scene.conversation,
            message: scene.answer,
            position: 2
        )
        let told = ConversationView.Change.queued(scene.answer, position: 2, eta: nil)
        #expect(view.apply(.messageQueued(queued)) == [told])
        #expect(view.queuePositions == [scene.answer: 2])
        _ = view.apply(scene.started(scene.run))
        #expect(view.queuePositions.isEmpty)
    }

    @Test("messages of other members are applied in the order of their numbers")
    func order() {
        var view = scene.view()
        let next = MessageID.make()
        let change = view.apply(
            scene.created(3, scene.message(next, .user, "More?", state: .complete))
        )
        #expect(change == [.created(next)])
        #expect(view.messages.map(\.id) == [scene.question, scene.answer, next])
    }

    @Test("title, members and deletion are updated")
    func conversationChanges() {
        var view = scene.view()
        let change = ConversationChange(
            title: "Coffee",
            systemPrompt: "Be brief.",
            model: "phi-4",
            settings: GenerationSettings(maxTokens: 5)
        )
        let updated = ConversationUpdated(conversation: scene.conversation, n: 3, changed: change)
        #expect(view.apply(.conversationUpdated(updated)) == [.updated])
        #expect(view.conversation?.title == "Coffee")
        #expect(view.conversation?.settings.maxTokens == 5)
        #expect(view.conversation?.model == "phi-4")

        let grace = User(id: .make(), name: "grace")
        for (n, role) in [(4, Role.editor), (5, .viewer), (6, nil)] as [(Int64, Role?)] {
            let changed = MemberChanged(
                conversation: scene.conversation,
                n: n,
                user: grace,
                role: role
            )
            #expect(view.apply(.memberChanged(changed)) == [.membersChanged])
            let member = view.conversation?.members.first { $0.user.id == grace.id }
            #expect(member?.role == role)
        }
        let deleted = ConversationDeleted(conversation: scene.conversation, n: 7)
        #expect(view.apply(.conversationDeleted(deleted)) == [.deleted])
        #expect(view.isDeleted)
    }

    @Test("events of other conversations have no effect")
    func others() {
        var view = scene.view()
        let other = Scene()
        #expect(view.apply(other.created(3, other.message(other.answer))) == [])
        #expect(view.apply(other.delta(7, "far")) == [])
        #expect(view.lastEvent == 2)
        #expect(view.mismatch == nil)
    }
}
