import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("Parts of the tree")
struct TreePartTests {
    @Test("a message is deleted with its descendants, and nobody gets its text")
    func deletion() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("stays", in: conversation, by: ann)
            _ = try await store.answer("answer")
            let turn = try await store.say("zanzibar", in: conversation, by: ann)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            let waiting = try await store.say("next", in: conversation, by: ann)
            let request = MessageDeleteRequest(
                conversation: conversation.id,
                message: turn.message.id
            )
            let deleted = try await store.messages.delete(request, by: ann.id)
            let gone = [
                turn.message.id, turn.answer.id, waiting.message.id, waiting.answer.id,
            ]
            #expect(deleted.value.messages == gone)
            #expect(deleted.value.unfinished == [turn.answer.id, waiting.answer.id])
            // A running answer in it has no effect any more.
            let outcome = RunOutcome(text: "late", state: .complete, finish: .stop)
            #expect(try await store.runs.finish(run, outcome) == nil)
            #expect(try await store.claimRun(node: UUID(), lease: .seconds(60)) == nil)

            let shown = try await store.shown(conversation, to: ann)
            #expect(shown.map(\.text) == ["stays", "answer"])
            let found = try await store.search.page(
                SearchRequest(query: "zanzibar"),
                for: ann.id,
                limit: 5
            )
            #expect(found.results.isEmpty)
            let events = try await store.events.list(of: conversation.id, after: 0, limit: 100)
            guard case .messageDeleted(let event)? = events.last else {
                Issue.record("not told of: \(events)")
                return
            }
            #expect(event.messages == gone)
            for case .messageCreated(let created) in events where gone.contains(created.message.id)
            {
                #expect(created.message.text.isEmpty)
            }
            let again = try await store.messages.delete(request, by: ann.id)
            #expect(again.value.messages.isEmpty)
            #expect(again.events.isEmpty)
            #expect(
                await refusal {
                    _ = try await store.say("x", after: turn.answer.id, conversation, ann)
                }
                    == .notFound
            )
            let next = try await store.say("on", in: conversation, by: ann)
            #expect(next.message.parent == shown.last?.id)
        }
    }

    @Test("members delete their own messages; only an owner deletes replies of others")
    func whoDeletes() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            let anns = try await store.say("ann's", in: conversation, by: ann)
            let bobs = try await store.say("bob's", in: conversation, by: bob)
            func delete(_ message: MessageID, _ user: User) async -> ErrorCode? {
                await refusal {
                    _ = try await store.messages.delete(
                        MessageDeleteRequest(conversation: conversation.id, message: message),
                        by: user.id
                    )
                }
            }
            #expect(await delete(anns.message.id, bob) == .forbidden)
            #expect(await delete(anns.answer.id, bob) == .forbidden)
            #expect(await delete(bobs.answer.id, bob) == nil)
            #expect(await delete(bobs.message.id, bob) == nil)
            #expect(await delete(MessageID.make(), ann) == .notFound)
            _ = try await store.say("bob's", in: conversation, by: bob)
            #expect(await delete(anns.message.id, ann) == nil)
            #expect(try await store.shown(conversation, to: bob).isEmpty)
        }
    }

    @Test("a fork copies the branch up to a message, once per key")
    func forking() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            for turn in 0..<3 {
                _ = try await store.say("q\(turn)", in: conversation, by: ann)
                _ = try await store.answer("a\(turn)")
            }
            let branch = try await store.shown(conversation, to: ann)
            let request = ConversationForkRequest(
                conversation: conversation.id,
                key: "k",
                message: branch[3].id
            )
            let copy = try await store.conversations.fork(request, by: bob.id)
            #expect(copy.title == "q0")
            #expect(copy.systemPrompt == conversation.systemPrompt)
            #expect(copy.members.map(\.user.id) == [bob.id])
            #expect(copy.n == 4)
            let copied = try await store.shown(copy, to: bob)
            #expect(copied.map(\.text) == ["q0", "a0", "q1", "a1"])
            #expect(copied.map(\.state) == branch.prefix(4).map(\.state))
            #expect(copied[0].author?.id == ann.id)
            #expect(Set(copied.map(\.id)).isDisjoint(with: branch.map(\.id)))
            #expect(Set(copied.compactMap(\.run)).isDisjoint(with: branch.compactMap(\.run)))
            #expect(try await store.conversations.fork(request, by: bob.id).id == copy.id)
            #expect(await refusal { _ = try await store.shown(copy, to: ann) } == .notFound)

            let next = try await store.say("q2", in: copy, by: bob)
            #expect(next.message.parent == copied.last?.id)
            #expect(next.n == 6)
            let growing = ConversationForkRequest(
                conversation: copy.id,
                key: "l",
                message: next.answer.id
            )
            #expect(
                await refusal { _ = try await store.conversations.fork(growing, by: bob.id) }
                    == .busy
            )
            #expect(try await store.shown(conversation, to: ann) == branch)
        }
    }

    @Test("each member has one rating per answer, and may change or withdraw it")
    func feedback() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            let turn = try await store.say("tea?", in: conversation, by: ann)
            func rate(
                _ rating: Int?,
                _ text: String? = nil,
                by user: User,
                of message: MessageID? = nil
            ) async throws -> [ServerEvent] {
                try await store.messages.rate(
                    MessageFeedbackRequest(
                        conversation: conversation.id,
                        message: message ?? turn.answer.id,
                        rating: rating,
                        text: text
                    ),
                    by: user
                ).events
            }
            #expect(await refusal { _ = try await rate(1, by: ann) } == .badRequest)
            _ = try await store.answer("green")
            #expect(try await rate(nil, by: ann).isEmpty)
            #expect(try await rate(1, "clear", by: ann).map(\.name) == [.messageFeedback])
            #expect(try await rate(1, "clear", by: ann).isEmpty)
            #expect(try await rate(-1, by: bob).count == 1)
            let opinions = try await store.shown(conversation, to: ann).last?.feedback
            #expect(opinions?.map(\.rating) == [1, -1])
            #expect(opinions?.map(\.text) == ["clear", nil])
            #expect(opinions?.first?.user == User(id: ann.id, name: ann.name))
            #expect(try await rate(nil, by: ann).count == 1)
            #expect(try await store.shown(conversation, to: bob).last?.feedback?.count == 1)
            #expect(
                await refusal { _ = try await rate(1, by: ann, of: turn.message.id) }
                    == .badRequest
            )
        }
    }
}

extension Store {
    /// Sends a text as a reply to a message.
    fileprivate func say(
        _ text: String,
        after parent: MessageID,
        _ conversation: Conversation,
        _ user: User
    ) async throws -> MessageSendReply {
        try await messages.send(
            MessageSendRequest(
                conversation: conversation.id,
                key: UUID().uuidString,
                text: text,
                parent: parent
            ),
            by: user,
            limits: wide
        ).value
    }
}
