import ChatCore
import ChatProtocol
import ChatStore
import Testing

extension Store {
    fileprivate func move(
        _ conversation: Conversation,
        to team: TeamID,
        by user: User
    ) async throws -> Committed<Conversation> {
        try await teams.moveConversation(
            ConversationMoveRequest(conversation: conversation.id, team: team),
            by: user
        )
    }
}

@Suite("Moving a conversation to a team")
struct TeamMoveTests {
    @Test("changes it in every list, by one event, for good")
    func moving() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let mine = try await store.someConversation(of: team.member)
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: mine.id, user: team.viewer.name),
                by: team.member.id
            )
            let u = try await store.lists.position(of: team.viewer.id)
            let moved = try await store.move(mine, to: team.id, by: team.member)
            #expect(moved.value.team == team.id && moved.value.open == false)
            guard case .conversationUpdated(let updated)? = moved.events.first else {
                Issue.record("no event")
                return
            }
            #expect(moved.events.count == 1 && updated.changed.team == team.id)
            // A viewer of the team can only read in it, whatever their role was before.
            let told = try await store.changes(team.viewer, after: u)
            #expect(told.map(\.summary?.team) == [team.id])
            #expect(told.map(\.summary?.role) == [.viewer])
            let again = try await store.move(mine, to: team.id, by: team.member)
            #expect(again.events.isEmpty)

            let other = try await store.teams.create(
                TeamCreateRequest(key: "other", name: "Others"),
                by: team.member
            )
            let code = await refusal {
                _ = try await store.move(mine, to: other.id, by: team.member)
            }
            #expect(code == .forbidden)
            // A member who leaves the team leaves the conversation.
            _ = try await store.remove(team.viewer, from: team.id, by: team.owner)
            #expect(try await store.listed(mine, of: team.viewer) == nil)
        }
    }

    @Test("needs an owner, and a team in which they may write and all members are")
    func rights() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let stranger = try await store.someone()
            let mine = try await store.someConversation(of: team.member)
            func code(_ user: User, _ conversation: Conversation) async -> ErrorCode? {
                await refusal { _ = try await store.move(conversation, to: team.id, by: user) }
            }
            #expect(await code(stranger, mine) == .notFound)
            #expect(await code(team.owner, mine) == .notFound)
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: mine.id, user: team.owner.name),
                by: team.member.id
            )
            #expect(await code(team.owner, mine) == .forbidden, "an editor")
            let theirs = try await store.someConversation(of: stranger)
            #expect(await code(stranger, theirs) == .notFound, "no team of theirs")
            let viewers = try await store.someConversation(of: team.viewer)
            #expect(await code(team.viewer, viewers) == .forbidden, "a viewer in the team")

            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: mine.id, user: stranger.name),
                by: team.member.id
            )
            #expect(await code(team.member, mine) == .forbidden, "somebody else is not in it")
            #expect(
                try await store.conversations.conversation(mine.id, for: team.member.id).team == nil
            )
            _ = try await store.conversations.removeMember(
                MemberRemoveRequest(conversation: mine.id, user: stranger.id),
                by: team.member.id
            )
            #expect(await code(team.member, mine) == nil)
        }
    }

    @Test("settles earlier questions as they were reserved")
    func ledger() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let mine = try await store.someConversation(of: team.member)
            _ = try await store.say("hello", in: mine, by: team.member)
            _ = try await store.move(mine, to: team.id, by: team.member)
            _ = try await store.say("and now", in: mine, by: team.member)
            for text in ["hi", "bye"] { _ = try await store.answer(text) }
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }
}
