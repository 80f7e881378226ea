import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Postgres
import TestSupport
import Testing

@Suite("System prompts")
struct SystemPromptTests {
    @Test("have versions with authors; a changed text adds one")
    func versions() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let id = try await store.someConversation(of: ann, prompt: "be kind").id
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: id, user: bob.name),
                by: ann.id
            )
            func update(_ text: String, by user: User) async throws -> Conversation {
                try await store.conversations.update(
                    ConversationUpdateRequest(conversation: id, systemPrompt: text),
                    by: user.id
                ).value
            }
            let second = try await update("be brief", by: bob)
            #expect(second.systemPromptVersion == .init(scope: .conversation, version: 2))
            #expect(try await update("be brief", by: ann).systemPromptVersion?.version == 2)
            let third = try await update("", by: ann)
            #expect(third.systemPrompt?.isEmpty == true)
            #expect(third.systemPromptVersion?.version == 3)
            let request = ConversationPromptsRequest(conversation: id)
            let reply = try await store.prompts.systemPrompts(request, limit: 50, for: bob.id)
            #expect(reply.current == .init(scope: .conversation, version: 3))
            #expect(reply.prompts.map(\.text) == ["", "be brief", "be kind"])
            #expect(reply.prompts.map(\.author?.id) == [ann.id, bob.id, ann.id])
            #expect(!reply.more)
            let page = try await store.prompts.systemPrompts(
                ConversationPromptsRequest(conversation: id, before: 3),
                limit: 1,
                for: ann.id
            )
            #expect(page.prompts.map(\.version) == [2])
            #expect(page.more)
            let eve = try await store.someone()
            let code = await refusal {
                _ = try await store.prompts.systemPrompts(request, limit: 50, for: eve.id)
            }
            #expect(code == .notFound)
        }
    }

    @Test("are the server's for conversations without their own, to which they can return")
    func server() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let made = try await store.conversations.create(
                ConversationCreateRequest(key: "k"),
                model: "demo",
                by: ann.id
            )
            #expect((made.systemPrompt, made.systemPromptVersion) == ("", nil))
            for text in ["be kind", "be kind", "be brief"] {
                try await store.prompts.setServerPrompt(text)
            }
            let read = try await store.conversations.conversation(made.id, for: ann.id)
            #expect(read.systemPrompt == "be brief")
            #expect(read.systemPromptVersion == .init(scope: .server, version: 2))
            func update(_ request: ConversationUpdateRequest) async throws -> Conversation {
                try await store.conversations.update(request, by: ann.id).value
            }
            let own = try await update(.init(conversation: made.id, systemPrompt: "be loud"))
            #expect(own.systemPromptVersion == .init(scope: .conversation, version: 1))
            let other = try await update(.init(conversation: made.id, title: "Tea"))
            #expect(other.systemPrompt == "be loud")
            let back = try await update(.init(conversation: made.id, usesServerPrompt: true))
            #expect(back.systemPromptVersion == .init(scope: .server, version: 2))
            // The old text still exists, and becomes another version.
            let again = try await update(.init(conversation: made.id, systemPrompt: "be loud"))
            #expect(again.systemPromptVersion == .init(scope: .conversation, version: 2))
            let reply = try await store.prompts.systemPrompts(
                ConversationPromptsRequest(conversation: made.id),
                limit: 50,
                for: ann.id
            )
            #expect(reply.server?.text == "be brief")
            #expect(reply.prompts.count == 2)
        }
    }

    @Test("pages end early if texts are long")
    func longTexts() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let id = try await store.someConversation(of: ann).id
            for letter in ["a", "b", "c", "d", "e"] {
                _ = try await store.conversations.update(
                    ConversationUpdateRequest(
                        conversation: id,
                        systemPrompt: String(repeating: letter, count: 300 << 10)
                    ),
                    by: ann.id
                )
            }
            let reply = try await store.prompts.systemPrompts(
                ConversationPromptsRequest(conversation: id),
                limit: 50,
                for: ann.id
            )
            #expect(reply.prompts.map(\.version) == [6, 5, 4, 3])
            #expect(reply.more)
        }
    }

    @Test("a context policy is stored as requested")
    func policy() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let made = try await store.conversations.create(
                ConversationCreateRequest(key: "k", contextPolicy: .summarize),
                model: "demo",
                by: ann.id
            )
            #expect(made.contextPolicy == .summarize)
            let plain = try await store.someConversation(of: ann)
            #expect(plain.contextPolicy == .dropOldest)
            let request = ConversationUpdateRequest(conversation: made.id, contextPolicy: .refuse)
            let committed = try await store.conversations.update(request, by: ann.id)
            #expect(committed.value.contextPolicy == .refuse)
            guard case .conversationUpdated(let updated)? = committed.events.first else {
                Issue.record("\(committed.events)")
                return
            }
            #expect(updated.changed.contextPolicy == .refuse)
            _ = try await store.conversations.update(
                ConversationUpdateRequest(conversation: made.id, title: "Tea"),
                by: ann.id
            )
            #expect(
                try await store.conversations.conversation(made.id, for: ann.id).contextPolicy
                    == .refuse
            )
        }
    }
}

@Suite("The migration to versions of system prompts")
struct SystemPromptMigrationTests {
    @Test("makes each conversation's text its version 1, by its owner")
    func migration() async throws {
        let name = "context"
        let place = try #require(schema.firstIndex { $0.name.hasSuffix(name) })
        let database = try TestCluster.database(migrations: Array(schema[..<place]))
        let configuration = database.configuration
        let (ann, tea) = (UserID.make(), ConversationID.make())
        let connection = try BlockingConnection(configuration)
        try connection.run(
            """
            INSERT INTO users (id, name, password_hash) VALUES ('\(ann)', 'ann', '');
            INSERT INTO conversations (id, title, system_prompt, model)
                VALUES ('\(tea)', 'Tea', 'be kind', 'demo');
            INSERT INTO members (conversation_id, user_id, role, list_u)
                VALUES ('\(tea)', '\(ann)', 'owner', 1);
            """
        )
        try Migrator(schema).migrate(configuration)
        let (conversation, prompts) = try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            let store = Store(pool: pool)
            let conversation = try await store.conversations.conversation(tea, for: ann)
            let prompts = try await store.prompts.systemPrompts(
                ConversationPromptsRequest(conversation: tea),
                limit: 50,
                for: ann
            )
            await pool.close()
            return (conversation, prompts.prompts)
        }
        #expect(conversation.systemPrompt == "be kind")
        #expect(conversation.systemPromptVersion == .init(scope: .conversation, version: 1))
        #expect(conversation.contextPolicy == .dropOldest)
        #expect(prompts.map(\.author?.name) == ["ann"])
        withExtendedLifetime(database) {}
    }
}
