import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Testing

/// Texts that some layer might handle wrongly.
private let texts = [
    "'; DROP TABLE messages; --", "$1 $2 \\' \" \\\\", "🙂 wörld\n\ttab", "\u{1}\u{7F}\u{2028}",
    String(repeating: "long ", count: 40_000),
]

@Suite("Turns")
struct TurnTests {
    @Test("a question, its pending answer and its queue row are stored together")
    func sending() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let request = MessageSendRequest(
                conversation: conversation.id,
                key: "k",
                text: "What is tea?\nTell me."
            )
            let committed = try await store.messages.send(request, by: ann, limits: wide)
            #expect(committed.events.map(\.n) == [1, 2, 3])
            #expect(
                committed.events.map(\.name)
                    == [.messageCreated, .messageCreated, .conversationUpdated]
            )
            #expect(committed.value.answer.parent == committed.value.message.id)
            #expect(committed.value.answer.state == .queued)
            #expect(committed.value.n == 2)
            let after = try await store.conversations.conversation(conversation.id, for: ann.id)
            #expect(after.title == "What is tea?")
            #expect(after.n == 3)

            let again = try await store.messages.send(request, by: ann, limits: wide)
            #expect(again.value.answer.id == committed.value.answer.id)
            #expect(again.events.isEmpty)
        }
    }

    private final class Collector {
        var ids: Set<MessageID> = []
        var count = 0
    }

    @Test("a hundred concurrent sends with one key create one message")
    func racingKeys() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let request = MessageSendRequest(
                conversation: conversation.id,
                key: "one",
                text: "hello"
            )
            let replies = Collector()
            let tasks = (0..<100).map { _ in
                loop.spawn {
                    if let reply = try? await store.messages.send(request, by: ann, limits: wide) {
                        replies.ids.insert(reply.value.message.id)
                        replies.count += 1
                    }
                }
            }
            for task in tasks { await task.wait() }
            #expect(replies.ids.count == 1)
            #expect(replies.count == 100)
        }
    }

    @Test("one key in two conversations at once is one message and one conflict")
    func racingConversations() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone()
            var conversations: [ConversationID] = []
            for _ in 0..<20 {
                conversations.append(try await store.someConversation(of: ann).id)
            }
            let replies = Collector()
            let tasks = conversations.map { conversation in
                loop.spawn {
                    do {
                        let request = MessageSendRequest(
                            conversation: conversation,
                            key: "one",
                            text: "hello"
                        )
                        let reply = try await store.messages.send(request, by: ann, limits: wide)
                        replies.ids.insert(reply.value.message.id)
                    } catch let error as WireError where error.code == .conflict {
                        replies.count += 1
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            for task in tasks { await task.wait() }
            #expect(replies.ids.count == 1)
            #expect(replies.count == 19)
        }
    }

    @Test("twenty concurrent creations of a conversation with one key create one")
    func racingCreations() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone()
            var made: Set<ConversationID> = []
            let tasks = (0..<20).map { _ in
                loop.spawn {
                    do {
                        let request = ConversationCreateRequest(key: "one", title: "Tea")
                        made.insert(
                            try await store.conversations.create(request, model: "demo", by: ann.id)
                                .id
                        )
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            for task in tasks { await task.wait() }
            #expect(made.count == 1)
        }
    }

    @Test("texts of every kind are returned unchanged", arguments: texts)
    func anyText(text: String) async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann, prompt: text)
            _ = try await store.say(text, in: conversation, by: ann)
            _ = try await store.answer(text)
            let page = try await store.messages.page(
                of: conversation.id,
                before: nil,
                limit: 9,
                for: ann.id
            )
            #expect(page.messages.map(\.text) == [text, text])
            #expect(page.messages.last?.state == .complete)
            let stored = try await store.conversations.conversation(conversation.id, for: ann.id)
            #expect(stored.systemPrompt == text)
        }
    }

    @Test("a branch is read in pages, newest page first, each oldest message first")
    func pages() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            for turn in 0..<5 {
                _ = try await store.say("q\(turn)", in: conversation, by: ann)
                _ = try await store.answer("a\(turn)")
            }
            let newest = try await store.messages.page(
                of: conversation.id,
                before: nil,
                limit: 4,
                for: ann.id
            )
            #expect(newest.messages.map(\.text) == ["q3", "a3", "q4", "a4"])
            #expect(newest.more)
            let older = try await store.messages.page(
                of: conversation.id,
                before: newest.messages.first?.id,
                limit: 50,
                for: ann.id
            )
            #expect(older.messages.map(\.text) == ["q0", "a0", "q1", "a1", "q2", "a2"])
            #expect(!older.more)

            // A message that others have deleted since is only the page's end.
            let deletion = MessageDeleteRequest(
                conversation: conversation.id,
                message: try #require(newest.messages.first).id
            )
            _ = try await store.messages.delete(deletion, by: ann.id)
            let left = try await store.messages.page(
                of: conversation.id,
                before: newest.messages.last?.id,
                limit: 2,
                for: ann.id
            )
            #expect(left.messages == older.messages.suffix(2))
            #expect(left.more)
        }
    }

    @Test("a full queue refuses early, per user and in total")
    func limits() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let limits = QueueLimits(total: 3, perUser: 2)
            func send(_ user: User) async throws -> ErrorCode? {
                let conversation = try await store.someConversation(of: user)
                return await refusal {
                    _ = try await store.messages.send(
                        MessageSendRequest(
                            conversation: conversation.id,
                            key: "\(UUID())",
                            text: "x"
                        ),
                        by: user,
                        limits: limits
                    )
                }
            }
            #expect(try await send(ann) == nil)
            #expect(try await send(ann) == nil)
            #expect(try await send(ann) == .busy)
            #expect(try await send(bob) == nil)
            #expect(try await send(bob) == .busy)
        }
    }

    @Test("events after a number are returned; too many become a snapshot")
    func catchingUp() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("q", in: conversation, by: ann)
            _ = try await store.answer("answer")
            func catchUp(_ after: Int64?, _ limit: Int) async throws -> ConversationWatchReply {
                try await store.events.catchUp(
                    conversation.id,
                    after: after,
                    for: ann.id,
                    eventLimit: limit,
                    pageLimit: 50
                )
            }
            let events = try await catchUp(2, 10)
            #expect(events.n == 4)
            #expect(events.events?.map(\.name) == [.conversationUpdated, .messageCompleted])
            guard case .messageCompleted(let ended)? = events.events?.last else {
                Issue.record("no end")
                return
            }
            #expect(ended.text == "answer")
            #expect(ended.to == 6)
            #expect(ended.sha256.count == 64)
            for (after, limit) in [(nil, 10), (0, 2), (99, 10), (-1, 10)] as [(Int64?, Int)] {
                let reply = try await catchUp(after, limit)
                #expect(reply.snapshot?.messages.map(\.text) == ["q", "answer"])
                #expect(reply.n == 4)
            }
        }
    }

    @Test("search finds words and their prefixes, with matches marked")
    func search() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("Where does Earl Grey come from?", in: conversation, by: ann)
            _ = try await store.answer("From a blend with bergamot.")
            let found = try await store.search.page(
                SearchRequest(query: "berga BLEND'; --"),
                for: ann.id,
                limit: 5
            )
            #expect(found.results.count == 1)
            let matches = found.results.first?.snippet.filter(\.match).map(\.text)
            #expect(matches == ["blend", "bergamot"])
            #expect(
                await refusal {
                    _ = try await store.search.page(
                        SearchRequest(query: " & "),
                        for: ann.id,
                        limit: 5
                    )
                } == .badRequest
            )
        }
    }
}
