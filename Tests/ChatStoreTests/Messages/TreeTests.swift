import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Testing

@Suite("The tree of messages")
struct TreeTests {
    @Test("an edited question is a sibling of the old one, and its author sees the new branch")
    func editing() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let first = try await store.say("tea?", in: conversation, by: ann)
            _ = try await store.answer("green")
            _ = try await store.say("more?", in: conversation, by: ann)
            let request = MessageEditRequest(
                conversation: conversation.id,
                key: "k",
                message: first.message.id,
                text: "coffee?"
            )
            let edited = try await store.messages.edit(request, by: ann, limits: wide)
            #expect(edited.events.map(\.name) == [.messageCreated, .messageCreated])
            #expect(edited.value.message.parent == nil)
            #expect(edited.value.answer.parent == edited.value.message.id)
            let siblings = [first.message.id, edited.value.message.id]
            #expect(edited.value.message.siblings == siblings)

            let shown = try await store.shown(conversation, to: ann)
            #expect(shown.map(\.text) == ["coffee?", ""])
            #expect(shown.first?.siblings == siblings)
            let again = try await store.messages.edit(request, by: ann, limits: wide)
            #expect(again.value.answer.id == edited.value.answer.id)
            #expect(again.events.isEmpty)
            var other = request
            other.text = "cocoa?"
            #expect(
                await refusal { _ = try await store.messages.edit(other, by: ann, limits: wide) }
                    == .conflict
            )
            var answer = request
            (answer.key, answer.message) = ("l", first.answer.id)
            #expect(
                await refusal { _ = try await store.messages.edit(answer, by: ann, limits: wide) }
                    == .badRequest
            )
        }
    }

    @Test("a regenerated answer is a sibling of the first; one key serves one operation")
    func regenerating() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let first = try await store.say("tea?", in: conversation, by: ann)
            _ = try await store.answer("green")
            let request = MessageAgainRequest(
                conversation: conversation.id,
                key: "k",
                message: first.answer.id
            )
            let committed = try await store.messages.regenerate(request, by: ann, limits: wide)
            let again = committed.value.answer
            #expect(again.parent == first.message.id)
            #expect(again.siblings == [first.answer.id, again.id])
            #expect(committed.value.n == committed.events.last?.n)
            let repeated = try await store.messages.regenerate(request, by: ann, limits: wide)
            #expect(repeated.value.answer.id == again.id)
            #expect(
                await refusal {
                    _ = try await store.messages.continue(request, by: ann, limits: wide)
                } == .conflict
            )
            _ = try await store.answer("black")
            #expect(try await store.shown(conversation, to: ann).map(\.text) == ["tea?", "black"])
            let question = MessageAgainRequest(
                conversation: conversation.id,
                key: "l",
                message: first.message.id
            )
            let third = try await store.messages.regenerate(question, by: ann, limits: wide).value
                .answer
            #expect(third.siblings == [first.answer.id, again.id, third.id])
        }
    }

    @Test("an answer that ended early is continued by another that begins with its text")
    func continuing() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            func proceed(_ answer: MessageID) async throws -> MessageAnswerReply {
                try await store.messages.continue(
                    MessageAgainRequest(
                        conversation: conversation.id,
                        key: UUID().uuidString,
                        message: answer
                    ),
                    by: ann,
                    limits: wide
                ).value
            }
            let answer = try await store.say("tea?", in: conversation, by: ann).answer.id
            #expect(await refusal { _ = try await proceed(answer) } == .busy)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            let outcome = RunOutcome(text: "Green t", state: .complete, finish: .length)
            _ = try await store.runs.finish(run, outcome)
            let next = try await proceed(answer).answer
            #expect(next.continues == answer)
            #expect((next.text, next.state) == ("Green t", .queued))
            let stored = try await store.shown(conversation, to: ann).last
            #expect(stored?.continues == answer)
            #expect(stored?.text == "Green t")

            _ = try await store.answer("Green tea.")
            #expect(await refusal { _ = try await proceed(next.id) } == .badRequest)
            let empty = try await store.say("and?", in: conversation, by: ann).answer.id
            _ = try await store.runs.stopWaiting(empty, in: conversation.id)
            #expect(await refusal { _ = try await proceed(empty) } == .badRequest)
        }
    }

    @Test("an answer regenerated by another member does not switch a selected branch")
    func selection() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            let turn = try await store.say("tea?", in: conversation, by: ann)
            _ = try await store.answer("green")
            let page = try await store.messages.select(
                MessageSelectRequest(conversation: conversation.id, message: turn.message.id),
                for: ann.id,
                limit: 10
            )
            #expect(page.messages.map(\.text) == ["tea?", "green"])
            let request = MessageAgainRequest(
                conversation: conversation.id,
                key: "k",
                message: turn.answer.id
            )
            _ = try await store.messages.regenerate(request, by: bob, limits: wide)
            _ = try await store.answer("black")
            #expect(try await store.shown(conversation, to: ann).last?.text == "green")
            #expect(try await store.shown(conversation, to: bob).last?.text == "black")
            // The next question goes to the author's branch.
            let next = try await store.say("more?", in: conversation, by: ann)
            #expect(next.message.parent == turn.answer.id)
            let follow = MessageSelectRequest(conversation: conversation.id, message: nil)
            _ = try await store.messages.select(follow, for: ann.id, limit: 10)
            #expect(try await store.shown(conversation, to: ann).last?.id == next.answer.id)
        }
    }

    @Test("a snapshot has the branch that its reader shows, while it exists")
    func snapshots() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let turn = try await store.say("tea?", in: conversation, by: ann)
            _ = try await store.answer("green")
            let edited = try await store.messages.edit(
                MessageEditRequest(
                    conversation: conversation.id,
                    key: "k",
                    message: turn.message.id,
                    text: "coffee?"
                ),
                by: ann,
                limits: wide
            ).value
            for (leaf, text) in [
                (turn.message.id, "tea?"), (edited.answer.id, "coffee?"), (nil, "coffee?"),
                (MessageID.make(), "coffee?"),
            ] as [(MessageID?, String)] {
                let reply = try await store.events.catchUp(
                    conversation.id,
                    after: nil,
                    leaf: leaf,
                    for: ann.id,
                    eventLimit: 10,
                    pageLimit: 10
                )
                #expect(reply.snapshot?.messages.first?.text == text)
                #expect(reply.snapshot?.selected == edited.answer.id)
            }
            let page = try await store.messages.page(
                of: conversation.id,
                before: nil,
                leaf: turn.message.id,
                limit: 10,
                for: ann.id
            )
            #expect(page.messages.map(\.text) == ["tea?", "green"])
        }
    }
}

extension Store {
    /// The branch that a member sees when loading the conversation.
    func shown(_ conversation: Conversation, to user: User) async throws -> [Message] {
        try await messages.page(of: conversation.id, before: nil, limit: 10_000, for: user.id)
            .messages
    }

    /// A conversation of `owner` that `others` may write in.
    func shared(_ owner: User, _ others: User...) async throws -> Conversation {
        let conversation = try await someConversation(of: owner)
        for other in others {
            _ = try await conversations.addMember(
                MemberAddRequest(conversation: conversation.id, user: other.name),
                by: owner.id
            )
        }
        return conversation
    }
}
