import ChatCore
import ChatProtocol
import ChatStore
import TestSupport
import Testing

@Suite("Searches do not find")
struct SearchRightsTests {
    @Test("conversations of others, or that the user has left", arguments: SearchWay.allCases)
    func members(way: SearchWay) async throws {
        try await withSearch(way) { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            // A conversation of Bob's own: a user without any gets an empty reply at once.
            let own = try await store.someConversation(of: bob)
            _ = try await store.say("mine", in: own, by: bob)
            _ = try await store.say("a platypus", in: conversation, by: ann)
            #expect(try await store.find("platypus", as: bob).count == 1)
            #expect(try await store.find("latyp", as: bob).count == 1)
            _ = try await store.conversations.removeMember(
                MemberRemoveRequest(conversation: conversation.id, user: bob.id),
                by: bob.id
            )
            for query in ["platypus", "latyp", "\"a platypus\""] {
                #expect(try await store.find(query, as: bob).isEmpty)
                #expect(try await store.find(query, as: bob, in: conversation).isEmpty)
                #expect(try await store.find(query, as: bob, by: ann.name).isEmpty)
                #expect(try await store.find(query, as: ann).count == 1)
            }
        }
    }

    @Test("conversations of a team that the user has left", arguments: SearchWay.allCases)
    func teams(way: SearchWay) async throws {
        try await withSearch(way) { store, database in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            let other = try await store.shared(ann, bob)
            _ = try await store.say("a platypus", in: conversation, by: ann)
            _ = try await store.say("another platypus", in: other, by: ann)
            let team = TeamID.make()
            try database.run(
                """
                INSERT INTO teams (id, name) VALUES ('\(team)', 'zoo');
                INSERT INTO team_members (team_id, user_id, role)
                    VALUES ('\(team)', '\(ann.id)', 'owner'), ('\(team)', '\(bob.id)', 'viewer');
                UPDATE conversations SET team_id = '\(team)' WHERE id = '\(conversation.id)';
                """
            )
            #expect(try await store.find("platypus", as: bob).count == 2)
            let inTeam = try await store.find("platypus", as: bob, team: team)
            #expect(inTeam.map(\.conversation) == [conversation.id])
            #expect(try await store.find("platypus", as: bob, team: .make()).isEmpty)
            // Even if the row of the conversation's member were left.
            try database.run("DELETE FROM team_members WHERE user_id = '\(bob.id)'")
            #expect(try await store.find("platypus", as: bob).map(\.conversation) == [other.id])
            #expect(try await store.find("platypus", as: bob, team: team).isEmpty)
            #expect(try await store.find("platypus", as: ann, team: team).count == 1)
        }
    }

    @Test("deleted messages, and anything for disabled users", arguments: SearchWay.allCases)
    func deleted(way: SearchWay) async throws {
        try await withSearch(way) { store, database in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let other = try await store.someConversation(of: ann)
            let gone = try await store.say("a platypus", in: conversation, by: ann)
            _ = try await store.say("one more platypus", in: other, by: ann)
            _ = try await store.say("last platypus", in: conversation, by: ann)
            #expect(try await store.find("platypus", as: ann).count == 3)
            _ = try await store.messages.delete(
                MessageDeleteRequest(conversation: conversation.id, message: gone.message.id),
                by: ann.id
            )
            let left = try await store.find("platypus", as: ann)
            #expect(left.map(\.conversation) == [other.id])
            _ = try await store.conversations.delete(other.id, by: ann.id)
            #expect(try await store.find("platypus", as: ann).isEmpty)
            _ = try await store.say("new platypus", in: conversation, by: ann)
            #expect(try await store.find("platypus", as: ann).count == 1)
            try database.run("UPDATE users SET disabled_at = now()")
            #expect(try await store.find("platypus", as: ann).isEmpty)
        }
    }

    @Test("parts of a running answer, until it has ended")
    func growing() async throws {
        try await withSearch { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("Which animal?", in: conversation, by: ann)
            #expect(try await store.find("platypus", as: ann).isEmpty)
            _ = try await store.answer("A platypus.")
            #expect(try await store.find("platypus", as: ann).count == 1)
        }
    }
}
