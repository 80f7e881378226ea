import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Postgres
import TestSupport
import Testing

extension Store {
    /// Erases all deleted accounts, in small steps.
    @discardableResult
    func erase(at now: Timestamp = .now, batch: Int = 2) async throws -> [ErasureStep] {
        try await accounts.rescheduleErasures(at: now)
        var steps: [ErasureStep] = []
        while let step = try await accounts.erasureStep(at: now, batch: batch) {
            steps.append(step)
            guard steps.count < 1000 else {
                Issue.record("it does not end")
                break
            }
        }
        return steps
    }

    /// Deletes a user's account as the user does, and erases it.
    func removeWholly(_ user: User) async throws {
        try await accounts.delete(user.id, by: Actor(user))
        try await erase()
    }
}

/// The results of concurrent attempts.
private final class Refusals {
    var codes: [ErrorCode?] = []
}

@Suite("A deleted account")
struct AccountDeletionTests {
    @Test("ends all access, and frees its name")
    func theEnd() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("Ann")
            let lifetime = SessionLifetime(idle: .seconds(60), absolute: .seconds(600))
            let token = [UInt8](repeating: 1, count: 32)
            let key = [UInt8](repeating: 2, count: 32)
            let session = try await store.sessions.add(
                user: ann.id,
                tokenHash: token,
                device: "Ann's phone",
                lifetime: lifetime
            )
            _ = try await store.credentials.addKey(
                KeyCreateRequest(name: "of Ann", scopes: [.read]),
                tokenHash: key,
                of: ann
            )
            try await store.credentials.linkOpenID(
                issuer: "i",
                subject: "s",
                to: ann.id,
                by: .terminal
            )
            #expect(try await store.sessions.isRecent(session, within: .seconds(60)))
            try await store.accounts.delete(ann.id, by: Actor(ann))
            #expect(try await store.sessions.session(tokenHash: token, lifetime: lifetime) == nil)
            #expect(try await store.credentials.signedIn(keyHash: key) == nil)
            #expect(try await !store.sessions.isRecent(session, within: .seconds(60)))
            #expect(try await store.accounts.account(named: "ann") == nil)
            #expect(try await store.accounts.account(named: DeletedUser.name) == nil)
            #expect(
                try await store.accounts.userAccounts(matching: nil, after: nil, limit: 9).isEmpty
            )
            let attempts: [() async throws -> Void] = [
                { _ = try await store.accounts.userAccount(ann.id) },
                { _ = try await store.credentials.passwordHash(of: ann.id) },
                { try await store.accounts.enable(ann.id, by: .terminal) },
                { try await store.accounts.setAdministrator(ann.id, true, by: .terminal) },
                { try await store.accounts.delete(ann.id, by: .terminal) },
                {
                    try await store.credentials.linkOpenID(
                        issuer: "i",
                        subject: "s",
                        to: ann.id,
                        by: .terminal
                    )
                },
                {
                    try await store.ledger.setBudget(
                        TokenBudget(daily: 1),
                        of: .user(ann.id),
                        by: .terminal
                    )
                },
            ]
            for attempt in attempts { #expect(await refusal(attempt) == .notFound) }
            // A sign-in that starts before the deletion and ends after it creates no session.
            _ = try await store.sessions.add(
                user: ann.id,
                tokenHash: token,
                device: "late",
                lifetime: lifetime
            )
            #expect(try await store.sessions.session(tokenHash: token, lifetime: lifetime) == nil)
            let other = try await store.credentials.user(
                ofIssuer: "i",
                subject: "s",
                newName: "ann"
            )
            #expect(other.id != ann.id)
            try await store.accounts.delete(other.id, by: Actor(other))
            _ = try await store.someone("ANN")
        }
    }

    @Test("keeps its messages in shared conversations, and owns none of them")
    func sharedConversations() async throws {
        try await withSearch { store, _ in
            let (ann, bob) = (try await store.someone("ann"), try await store.someone("bob"))
            let eve = try await store.someone("eve")
            let conversation = try await store.shared(ann, bob, eve)
            _ = try await store.say("I say tea", in: conversation, by: ann)
            let answer = try #require(try await store.answer("then tea"))
            guard case .messageCompleted(let ended) = answer else { return }
            _ = try await store.messages.rate(
                MessageFeedbackRequest(
                    conversation: conversation.id,
                    message: ended.message,
                    rating: 1,
                    text: "says Ann"
                ),
                by: ann
            )
            let before = try await store.conversations.conversation(conversation.id, for: bob.id).n
            try await store.accounts.delete(ann.id, by: .terminal)
            let steps = try await store.erase()
            #expect(steps.last?.erased == ann.id)
            let events = steps.flatMap { $0.events[conversation.id] ?? [] }
            #expect(events.compactMap(\.n) == [before + 1, before + 2])

            let now = try await store.conversations.conversation(conversation.id, for: bob.id)
            #expect(now.role == .owner)
            #expect(now.members.map(\.user.name) == ["bob", "eve"])
            let shown = try await store.shown(conversation, to: bob)
            #expect(shown.map(\.text) == ["I say tea", "then tea"])
            #expect(shown.first?.author == User(id: ann.id, name: DeletedUser.name))
            #expect(shown.last?.feedback == nil)
            #expect(try await store.find("tea", as: bob).count == 2)
            #expect(try await store.find("tea", as: bob, by: "ann").isEmpty)
            #expect(try await store.find("tea", as: bob, by: DeletedUser.name).isEmpty)
            // Clients that resynchronize from the log receive neither the name nor the rating.
            let log = try await store.events.list(of: conversation.id, after: 0, limit: 100)
            let text = String(decoding: WireEncoding.text(log), as: UTF8.self)
            #expect(!text.contains("\"ann\"") && !text.contains("says Ann"), "\(text)")
            #expect(log.compactMap(\.n) == Array(1...now.n))
            _ = try await store.say("on", in: conversation, by: bob)
        }
    }

    @Test("is deleted with the conversations that have no other member, except those on hold")
    func ownConversations() async throws {
        try await withSearch { store, database in
            let (ann, root) = (try await store.someone("ann"), try await store.someone("root"))
            for _ in 0..<5 {
                let own = try await store.someConversation(of: ann)
                _ = try await store.say("hello", in: own, by: ann)
            }
            let held = try await store.someConversation(of: ann)
            try await store.lifeCycle.hold(
                ConversationHoldRequest(conversation: held.id, hold: true, reason: "a lawsuit"),
                by: root
            )
            let deleted = try await store.someConversation(of: ann)
            _ = try await store.conversations.delete(deleted.id, by: ann.id)
            try await store.accounts.delete(ann.id, by: Actor(ann))
            // The user could read all of them a moment ago.
            #expect(await refusal { _ = try await store.shown(held, to: ann) } == .notFound)
            let steps = try await store.erase(batch: 2)
            #expect(steps.reduce(0) { $0 + $1.deletions.count } == 6)
            #expect(steps.allSatisfy { $0.deletions.count <= 2 && $0.events.isEmpty })
            #expect(try database.query("SELECT FROM generations").isEmpty)
            #expect(try await store.ledger.imbalances().isEmpty)
            let rules = LifeCycleRules(undoDays: 30)
            let later = Timestamp(milliseconds: Timestamp.now.milliseconds + 31 * 86_400_000)
            while try await store.lifeCycle.purgeStep(rules, at: later, batch: 100) != .nothingLeft
            {}
            let left = try database.query("SELECT id FROM conversations")
            #expect(try left.map { try $0.decode(as: UUID.self) } == [held.id.uuid])
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }

    @Test("is not deleted if a team, or the server, would have no owner")
    func lastOwners() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let named = try await store.teams.team(team.id, for: team.owner.id).name
            do {
                try await store.accounts.delete(team.owner.id, by: Actor(team.owner))
                Issue.record("the team has no owner")
            } catch let error as WireError {
                #expect(error.code == .forbidden)
                #expect(error.message.contains(named))
            }
            #expect(try await store.accounts.account(named: team.owner.name) != nil)
            _ = try await store.teams.updateMember(
                TeamMemberUpdateRequest(team: team.id, user: team.admin.id, role: .owner),
                by: team.owner
            )
            let lone = try await store.someConversation(of: team.id, by: team.owner)
            try await store.removeWholly(team.owner)
            // Conversations of a team stay in it.
            #expect(
                try await store.conversations.conversation(lone.id, for: team.admin.id).role
                    == .owner
            )
            let log = try await store.audit.entries(AuditListRequest(team: team.id), limit: 1)
            #expect(log.entries.map(\.action) == ["team.left"])

            let root = try await store.accounts.addUser(
                name: "root",
                passwordHash: "none",
                isAdmin: true
            )
            #expect(
                await refusal { try await store.accounts.delete(root.id, by: Actor(root)) }
                    == .forbidden
            )
            _ = try await store.accounts.addUser(name: "next", passwordHash: "none", isAdmin: true)
            try await store.accounts.delete(root.id, by: Actor(root))
        }
    }

    @Test("is deleted with a team that has no other member")
    func loneTeam() async throws {
        try await withSearch { store, database in
            let ann = try await store.someone("ann")
            let team = try await store.teams.create(
                TeamCreateRequest(key: "t", name: "Ann's own"),
                by: ann
            )
            for _ in 0..<3 { _ = try await store.someConversation(of: team.id, by: ann) }
            let token = [UInt8](repeating: 7, count: 32)
            _ = try await store.teams.invite(
                TeamInviteRequest(team: team.id),
                tokenHash: token,
                lifetime: .seconds(60),
                by: ann
            )
            try await store.accounts.delete(ann.id, by: Actor(ann))
            let bob = try await store.someone("bob")
            #expect(
                await refusal { _ = try await store.teams.join(tokenHash: token, by: bob) }
                    == .notFound
            )
            let again = TeamCreateRequest(key: "t", name: "Ann's own")
            _ = try await store.teams.create(again, by: bob)
            try await store.erase()
            let left = try database.query("SELECT name FROM teams")
            #expect(try left.map { try $0.decode(as: String.self) } == ["Ann's own"])
            let gone = try database.query(
                "SELECT count(*) FROM conversations WHERE deleted_at IS NOT NULL AND team_id IS NULL"
            )
            #expect(try gone.first?.decode(as: Int64.self) == 3)
        }
    }

    @Test("is deleted once, however many requests there are at once")
    func twice() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone("ann")
            let refusals = Refusals()
            let tasks = (0..<5).map { _ in
                loop.spawn {
                    let code = await refusal {
                        try await store.accounts.delete(ann.id, by: .terminal)
                    }
                    refusals.codes.append(code)
                }
            }
            for task in tasks { await task.wait() }
            #expect(refusals.codes.count { $0 == nil } == 1)
            #expect(refusals.codes.count { $0 == .notFound } == 4)
            let log = try await store.audit.entries(AuditListRequest(action: "user"), limit: 9)
            #expect(log.entries.map(\.action) == ["user.deleted"])
            #expect(log.entries.first?.object == "\(ann.id)")
            #expect(log.entries.first?.detail == nil)
        }
    }

    @Test("of two administrators who delete each other at once, one remains")
    func eachOther() async throws {
        try await withStore { store, loop in
            let users = [
                try await store.accounts.addUser(name: "a", passwordHash: "none", isAdmin: true),
                try await store.accounts.addUser(name: "b", passwordHash: "none", isAdmin: true),
            ]
            let refusals = Refusals()
            let tasks = [(0, 1), (1, 0)].map { (deleted, deleter) in
                loop.spawn {
                    let code = await refusal {
                        try await store.accounts.delete(
                            users[deleted].id,
                            by: Actor(users[deleter])
                        )
                    }
                    refusals.codes.append(code)
                }
            }
            for task in tasks { await task.wait() }
            #expect(refusals.codes.count { $0 == nil } == 1)
            #expect(refusals.codes.count { $0 == .forbidden } == 1)
        }
    }
}
