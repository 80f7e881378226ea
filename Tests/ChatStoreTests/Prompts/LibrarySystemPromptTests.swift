import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Testing

@Suite("System prompts from a library")
struct LibrarySystemPromptTests {
    @Test("a conversation takes a version, records which, and keeps it in any case")
    func taking() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let prompt = try await store.somePrompt(in: team.id, by: team.member)
            let changed = try await store.change(
                prompt,
                to: "Be terse.",
                named: "Terse",
                by: team.owner
            )
            let made = try await store.conversations.create(
                ConversationCreateRequest(
                    key: "k",
                    library: LibraryChoice(prompt: prompt.id),
                    team: team.id
                ),
                model: "demo",
                by: team.member.id
            )
            #expect(made.systemPrompt == "Be terse.")
            let newest = LibraryVersion(prompt: prompt.id, version: 2, name: "Terse")
            #expect(
                made.systemPromptVersion
                    == .init(scope: .conversation, version: 1, library: newest)
            )
            func update(_ request: ConversationUpdateRequest) async throws -> Conversation {
                try await store.conversations.update(request, by: team.member.id).value
            }
            let first = LibraryChoice(prompt: prompt.id, version: 1)
            let older = try await update(.init(conversation: made.id, library: first))
            #expect(older.systemPrompt == "Be brief.")
            #expect(older.systemPromptVersion?.version == 2)
            #expect(older.systemPromptVersion?.library?.version == 1)
            let same = try await update(.init(conversation: made.id, library: first))
            #expect(same.systemPromptVersion == older.systemPromptVersion)
            try await store.prompts.delete(changed.id, by: team.owner)
            let kept = try await store.conversations.conversation(made.id, for: team.member.id)
            #expect(kept.systemPromptVersion == older.systemPromptVersion)
            #expect(
                await refusal {
                    _ = try await update(.init(conversation: made.id, library: first))
                } == .notFound
            )
            let typed = try await update(.init(conversation: made.id, systemPrompt: "Be loud."))
            #expect(typed.systemPromptVersion == .init(scope: .conversation, version: 3))
            let reply = try await store.prompts.systemPrompts(
                ConversationPromptsRequest(conversation: made.id),
                limit: 10,
                for: team.member.id
            )
            #expect(reply.prompts.map(\.library?.version) == [nil, 1, 2])
        }
    }

    @Test("the version is in the event, in the input of runs, and in a copy")
    func told() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let prompt = try await store.somePrompt(by: ann)
            let tea = try await store.someConversation(of: ann)
            let committed = try await store.conversations.update(
                ConversationUpdateRequest(
                    conversation: tea.id,
                    library: LibraryChoice(prompt: prompt.id)
                ),
                by: ann.id
            )
            let source = LibraryVersion(prompt: prompt.id, version: 1, name: "Brief")
            guard case .conversationUpdated(let event)? = committed.events.first else {
                Issue.record("no event")
                return
            }
            #expect(event.changed.systemPromptVersion?.library == source)
            let said = try await store.say("tea?", in: tea, by: ann)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            let input = try await store.context.input(of: run, messageLimit: 100)
            #expect(input.systemPrompt == "Be brief.")
            #expect(input.systemPromptVersion?.library == source)
            let copy = try await store.conversations.fork(
                ConversationForkRequest(
                    conversation: tea.id,
                    key: "f",
                    message: said.message.id
                ),
                by: ann.id
            )
            #expect(copy.systemPromptVersion?.library == source)
        }
    }

    @Test("only visible prompts can be taken, and only by members who may change settings")
    func rights() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let stranger = try await store.someone()
            let own = try await store.somePrompt(by: team.member)
            let shared = try await store.somePrompt(in: team.id, by: team.member)
            func take(_ prompt: LibraryPrompt, by user: User) async throws {
                let conversation = try await store.someConversation(of: user)
                _ = try await store.conversations.update(
                    ConversationUpdateRequest(
                        conversation: conversation.id,
                        library: LibraryChoice(prompt: prompt.id)
                    ),
                    by: user.id
                )
            }
            // In their own conversation, users can take any prompt that they can read.
            for user in [team.owner, team.viewer] { try await take(shared, by: user) }
            try await take(own, by: team.member)
            for (prompt, user) in [(own, team.owner), (own, stranger), (shared, stranger)] {
                #expect(await refusal { try await take(prompt, by: user) } == .notFound)
            }
            let tea = try await store.someConversation(of: team.owner)
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: tea.id, user: team.member.name, role: .viewer),
                by: team.owner.id
            )
            #expect(
                await refusal {
                    _ = try await store.conversations.update(
                        ConversationUpdateRequest(
                            conversation: tea.id,
                            library: LibraryChoice(prompt: shared.id)
                        ),
                        by: team.member.id
                    )
                } == .forbidden
            )
            let none = LibraryChoice(prompt: shared.id, version: 2)
            #expect(
                await refusal {
                    _ = try await store.conversations.update(
                        ConversationUpdateRequest(conversation: tea.id, library: none),
                        by: team.owner.id
                    )
                } == .notFound
            )
        }
    }

    @Test("a deleted team's library is deleted, and texts taken from it stay")
    func deletedTeam() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let prompt = try await store.somePrompt(in: team.id, by: team.owner)
            let tea = try await store.someConversation(of: team.owner)
            _ = try await store.conversations.update(
                ConversationUpdateRequest(
                    conversation: tea.id,
                    library: LibraryChoice(prompt: prompt.id)
                ),
                by: team.owner.id
            )
            try await store.teams.delete(team.id, by: team.owner)
            #expect(
                await refusal { _ = try await store.versions(prompt, for: team.owner) }
                    == .notFound
            )
            let kept = try await store.conversations.conversation(tea.id, for: team.owner.id)
            #expect(kept.systemPrompt == "Be brief.")
            #expect(kept.systemPromptVersion?.library?.name == "Brief")
        }
    }
}
