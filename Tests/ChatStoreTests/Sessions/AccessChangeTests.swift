// Changes that take access away, as nodes read them: by any program, and committed in any order.

import ChatProtocol
import ChatStore
import EventLoop
import Postgres
import TestSupport
import Testing

private let lifetime = SessionLifetime(idle: .seconds(60), absolute: .seconds(600))

private func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

/// Ways to take access from a user.
enum AccessTaking: CaseIterable {
    case signOut, revocation, revokedKey, disabling, promotion, deletion
    case deletedByHand, shortenedByHand, keyShortenedByHand

    func run(on user: User, _ session: SessionID, _ store: Store, _ database: TestDatabase)
        async throws
    {
        switch self {
        case .signOut: try await store.sessions.end(session)
        case .revocation:
            _ = try await store.sessions.revokeAll(of: user.id, but: nil, by: Actor(user))
        case .revokedKey:
            let key = try #require(try await store.credentials.keys(of: user.id).first)
            try await store.credentials.revokeKey(key.id, of: user.id, by: Actor(user))
        case .disabling: try await store.accounts.disable(user.id, by: .terminal)
        case .promotion: try await store.accounts.setAdministrator(user.id, true, by: .terminal)
        case .deletion: try await store.accounts.delete(user.id, by: .terminal)
        case .deletedByHand:
            try database.run("DELETE FROM sessions WHERE user_id = '\(user.id)'")
        case .shortenedByHand:
            try database.run(
                "UPDATE sessions SET expires_at = '-infinity' WHERE user_id = '\(user.id)'"
            )
        case .keyShortenedByHand:
            try database.run(
                "UPDATE api_keys SET expires_at = '-infinity' WHERE user_id = '\(user.id)'"
            )
        }
    }
}

@Suite("Changes of access", .timeLimit(.minutes(1)))
struct AccessChangeTests {
    private func signIn(_ user: User, _ byte: UInt8, _ store: Store) async throws -> SessionID {
        try await store.sessions.add(
            user: user.id,
            tokenHash: hash(byte),
            device: "",
            lifetime: lifetime
        )
    }

    @Test("are reported for the user concerned, and no other", arguments: AccessTaking.allCases)
    func users(taking: AccessTaking) async throws {
        try await withSearch { store, database in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let session = try await signIn(ann, 1, store)
            _ = try await signIn(bob, 2, store)
            for (byte, user) in [(UInt8(3), ann), (4, bob)] {
                let request = KeyCreateRequest(name: "backup", scopes: [.read])
                _ = try await store.credentials.addKey(request, tokenHash: hash(byte), of: user)
            }
            let mark = try await store.sessions.accessChanges(since: nil).mark
            #expect(try await store.sessions.accessChanges(since: mark).users.isEmpty)
            try await taking.run(on: ann, session, store, database)
            let changes = try await store.sessions.accessChanges(since: mark)
            #expect(changes.users == [ann.id])
            #expect(changes.departures.isEmpty)
        }
    }

    @Test("are reported after their commit, even after commits of later transactions")
    func lateCommit() async throws {
        try await withSearch { store, database in
            let ann = try await store.someone()
            let bob = try await store.someone()
            _ = try await signIn(ann, 1, store)
            _ = try await signIn(bob, 2, store)
            var mark = try await store.sessions.accessChanges(since: nil).mark
            let slow = try BlockingConnection(database.configuration)
            try slow.run("BEGIN; DELETE FROM sessions WHERE user_id = '\(ann.id)'")
            _ = try await store.sessions.revokeAll(of: bob.id, but: nil, by: .terminal)
            for _ in 0..<2 {
                let changes = try await store.sessions.accessChanges(since: mark)
                #expect(changes.users == [bob.id])
                mark = changes.mark
            }
            try slow.run("COMMIT")
            let late = try await store.sessions.accessChanges(since: mark)
            #expect(late.users.contains(ann.id))
        }
    }

    @Test("are reported once for an expired sign-in")
    func expiry() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone()
            let bob = try await store.someone()
            var mark = try await store.sessions.accessChanges(since: nil).mark
            _ = try await signIn(bob, 2, store)
            let session = try await store.sessions.add(
                user: ann.id,
                tokenHash: hash(1),
                device: "",
                lifetime: SessionLifetime(idle: .milliseconds(100), absolute: .seconds(600))
            )
            var told: Set<UserID> = []
            while told.isEmpty {
                let changes = try await store.sessions.accessChanges(since: mark)
                told = changes.users
                mark = changes.mark
                try await loop.sleep(for: .milliseconds(5))
            }
            #expect(told == [ann.id])
            let ended = try await store.sessions.changedSignIns(
                among: [(session: session, isAdministrator: false)],
                used: [],
                lifetime: lifetime
            )
            #expect(ended == [session: .ended])
            let later = try await store.sessions.accessChanges(since: mark)
            #expect(later.users.isEmpty)
        }
    }

    @Test("are reported for conversations that a member left, by their events, and no others")
    func departures() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone("bob")
            let left = try await store.someConversation(of: ann)
            let gone = try await store.someConversation(of: ann)
            let other = try await store.someConversation(of: ann)
            let request = MemberAddRequest(conversation: left.id, user: "bob")
            _ = try await store.conversations.addMember(request, by: ann.id)
            let mark = try await store.sessions.accessChanges(since: nil).mark
            let removal = try await store.conversations.removeMember(
                MemberRemoveRequest(conversation: left.id, user: bob.id),
                by: ann.id
            )
            let deletion = try await store.conversations.delete(gone.id, by: ann.id)
            _ = try await store.say("Hello!", in: other, by: ann)
            let joining = MemberAddRequest(conversation: other.id, user: "bob")
            _ = try await store.conversations.addMember(joining, by: ann.id)
            let changes = try await store.sessions.accessChanges(since: mark)
            let expected = [
                left.id: try #require(removal.events.compactMap(\.n).last),
                gone.id: try #require(deletion.events.compactMap(\.n).last),
            ]
            #expect(changes.departures == expected)
            #expect(changes.users.isEmpty)
        }
    }

    @Test("are deleted after an hour")
    func forgetting() async throws {
        try await withSearch { store, database in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let mark = try await store.sessions.accessChanges(since: nil).mark
            try await store.accounts.setAdministrator(ann.id, true, by: .terminal)
            try database.run("UPDATE access_changes SET at = at - interval '61 minutes'")
            try await store.accounts.setAdministrator(bob.id, true, by: .terminal)
            try await store.lifeCycle.deleteExpired()
            #expect(try await store.sessions.accessChanges(since: mark).users == [bob.id])
        }
    }
}
