import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("Conversations")
struct ConversationTests {
    @Test("settings are kept, replaced as a whole, and copied with a fork")
    func settings() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let settings = GenerationSettings(
                temperature: 0.5,
                topP: 0.9,
                maxTokens: 12,
                seed: GenerationSettings.seedRange.upperBound,
                stop: ["\n\n", "\"{},\\", "🙂"]
            )
            let made = try await store.conversations.create(
                ConversationCreateRequest(key: "k", settings: settings),
                model: "demo",
                systemPrompt: "",
                by: ann.id
            )
            #expect(made.settings == settings)
            #expect(
                try await store.conversations.conversation(made.id, for: ann.id).settings
                    == settings
            )
            let sent = try await store.say("q", in: made, by: ann)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            #expect(try await store.context.input(of: run, messageLimit: 10).settings == settings)
            _ = try await store.runs.finish(
                run,
                RunOutcome(text: "a", state: .complete, finish: .stop)
            )
            let fork = try await store.conversations.fork(
                ConversationForkRequest(
                    conversation: made.id,
                    key: "f",
                    message: sent.answer.id
                ),
                by: ann.id
            )
            #expect(fork.settings == settings)
            let seeded = GenerationSettings(seed: 7, stop: [])
            let changed = try await store.conversations.update(
                ConversationUpdateRequest(conversation: made.id, settings: seeded),
                by: ann.id
            ).value
            #expect(changed.settings == GenerationSettings(seed: 7))
        }
    }

    @Test("the same key creates one conversation, however often it is sent")
    func keys() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let request = ConversationCreateRequest(key: "k", title: "Tea")
            let first = try await store.conversations.create(
                request,
                model: "demo",
                systemPrompt: "",
                by: ann.id
            )
            let again = try await store.conversations.create(
                request,
                model: "demo",
                systemPrompt: "",
                by: ann.id
            )
            #expect(first == again)
            let other = ConversationCreateRequest(key: "k", title: "Coffee")
            #expect(
                await refusal {
                    _ = try await store.conversations.create(
                        other,
                        model: "demo",
                        systemPrompt: "",
                        by: ann.id
                    )
                } == .conflict
            )
            let list = try await store.lists.conversations(of: ann.id, cursor: nil, limit: 10)
            #expect(list.conversations.map(\.title) == ["Tea"])
        }
    }

    @Test("the list has the newest activity first, in pages without gaps or duplicates")
    func pages() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            var made: [ConversationID] = []
            for _ in 0..<7 { made.append(try await store.someConversation(of: ann).id) }
            let touched = try await store.conversations.conversation(made[2], for: ann.id)
            _ = try await store.say("hello", in: touched, by: ann)
            var seen: [ConversationID] = []
            var cursor: String?
            repeat {
                let page = try await store.lists.conversations(of: ann.id, cursor: cursor, limit: 3)
                #expect(page.conversations.allSatisfy { $0.systemPrompt == nil })
                seen += page.conversations.map(\.id)
                cursor = page.cursor
            } while cursor != nil
            #expect(seen == [made[2]] + made.reversed().filter { $0 != made[2] })
        }
    }

    @Test("an update changes only the named fields")
    func updates() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann, prompt: "be kind")
            _ = try await store.conversations.update(
                ConversationUpdateRequest(
                    conversation: conversation.id,
                    settings: GenerationSettings(temperature: 0.5, maxTokens: 9)
                ),
                by: ann.id
            )
            let committed = try await store.conversations.update(
                ConversationUpdateRequest(conversation: conversation.id, title: "Tea"),
                by: ann.id
            )
            #expect(committed.value.title == "Tea")
            #expect(committed.value.systemPrompt == "be kind")
            #expect(committed.value.settings == GenerationSettings(temperature: 0.5, maxTokens: 9))
            #expect(committed.events.map(\.n) == [2])
        }
    }

    @Test("a stranger gets not_found for every request")
    func strangers() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let eve = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let reply = try await store.say("secret", in: conversation, by: ann)
            let id = conversation.id
            let requests: [() async throws -> Void] = [
                { _ = try await store.conversations.conversation(id, for: eve.id) },
                { _ = try await store.messages.page(of: id, before: nil, limit: 9, for: eve.id) },
                { _ = try await store.say("hi", in: conversation, by: eve) },
                { _ = try await store.conversations.delete(id, by: eve.id) },
                {
                    _ = try await store.conversations.update(
                        ConversationUpdateRequest(conversation: id, title: "x"),
                        by: eve.id
                    )
                },
                {
                    _ = try await store.conversations.addMember(
                        MemberAddRequest(conversation: id, user: eve.name),
                        by: eve.id
                    )
                },
                {
                    _ = try await store.conversations.removeMember(
                        MemberRemoveRequest(conversation: id, user: ann.id),
                        by: eve.id
                    )
                },
                {
                    _ = try await store.events.catchUp(
                        id,
                        after: nil,
                        for: eve.id,
                        eventLimit: 9,
                        pageLimit: 9
                    )
                },
            ]
            for request in requests {
                #expect(await refusal(request) == .notFound)
            }
            #expect(
                try await store.messages.access(to: reply.answer.id, for: eve.id)?.standing.role
                    == nil
            )
            let found = try await store.search.page(
                SearchRequest(query: "secret"),
                for: eve.id,
                limit: 9
            )
            #expect(found.results.isEmpty)
        }
    }

    @Test("members are added, changed and removed; an owner always remains")
    func members() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let id = conversation.id
            let added = try await store.conversations.addMember(
                MemberAddRequest(conversation: id, user: bob.name.uppercased(), role: .viewer),
                by: ann.id
            )
            #expect(added.value.members.map(\.role) == [.owner, .viewer])
            #expect(
                await refusal { _ = try await store.say("hi", in: conversation, by: bob) }
                    == .forbidden
            )
            #expect(
                await refusal {
                    _ = try await store.conversations.removeMember(
                        MemberRemoveRequest(conversation: id, user: ann.id),
                        by: ann.id
                    )
                } == .forbidden
            )
            _ = try await store.conversations.removeMember(
                MemberRemoveRequest(conversation: id, user: bob.id),
                by: bob.id
            )
            #expect(
                await refusal { _ = try await store.conversations.conversation(id, for: bob.id) }
                    == .notFound
            )
            #expect(
                await refusal {
                    _ = try await store.conversations.addMember(
                        MemberAddRequest(conversation: id, user: "nobody"),
                        by: ann.id
                    )
                } == .notFound
            )
        }
    }

    @Test("a deleted conversation is gone for all members, with its queued answers")
    func deletion() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("hello", in: conversation, by: ann)
            let committed = try await store.conversations.delete(conversation.id, by: ann.id)
            #expect(committed.value == [ann.id])
            #expect(
                await refusal {
                    _ = try await store.conversations.conversation(conversation.id, for: ann.id)
                }
                    == .notFound
            )
            #expect(try await store.claimRun(node: UUID(), lease: .seconds(9)) == nil)
        }
    }
}
