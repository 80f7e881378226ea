import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Postgres
import TestSupport
import Testing

private let rules = LifeCycleRules(undoDays: 30)

@Suite("The end of conversations")
struct LifeCycleTests {
    @Test("archiving hides a conversation for that member only, until they write in it")
    func archiving() async throws {
        try await withSearch { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            func ids(of user: User, archived: Bool = false) async throws -> [ConversationID] {
                try await store.lists.conversations(
                    of: user.id,
                    cursor: nil,
                    limit: 9,
                    archived: archived
                ).conversations.map(\.id)
            }
            let u = try await store.lists.position(of: bob.id)
            let request = ConversationArchiveRequest(conversation: conversation.id, archived: true)
            try await store.lifeCycle.archive(request, by: bob.id)
            try await store.lifeCycle.archive(request, by: bob.id)
            #expect(try await ids(of: bob).isEmpty)
            #expect(try await ids(of: bob, archived: true) == [conversation.id])
            #expect(try await ids(of: ann) == [conversation.id])
            let changes = try await store.lists.changes(
                of: bob.id,
                after: u,
                changeLimit: 9,
                pageLimit: 9
            )
            #expect(changes.unlisted?.map(\.conversation) == [conversation.id])
            #expect(changes.u == u + 1)
            _ = try await store.say("still here?", in: conversation, by: ann)
            #expect(try await ids(of: bob).isEmpty)
            #expect(
                try await store.conversations.conversation(conversation.id, for: bob.id).unread == 1
            )
            _ = try await store.say("yes", in: conversation, by: bob)
            #expect(try await ids(of: bob) == [conversation.id])
            try await store.lifeCycle.archive(request, by: bob.id)
            try await store.lifeCycle.archive(
                ConversationArchiveRequest(conversation: conversation.id, archived: false),
                by: bob.id
            )
            #expect(try await ids(of: bob) == [conversation.id])
            let eve = try await store.someone()
            #expect(
                await refusal { try await store.lifeCycle.archive(request, by: eve.id) }
                    == .notFound
            )
        }
    }

    @Test("deleted conversations are found among those with cached data")
    func gone() async throws {
        try await withSearch { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let stays = try await store.shared(ann, bob)
            let goes = try await store.shared(ann, bob)
            _ = try await store.conversations.delete(goes.id, by: ann.id)
            let unknown = ConversationID.make()
            func lost(_ ids: [ConversationID]) async throws -> [ConversationID] {
                try await store.lifeCycle.conversationsLost(of: ids, since: nil).ids
            }
            #expect(Set(try await lost([stays.id, goes.id, unknown])) == [goes.id, unknown])
            #expect(try await lost([]).isEmpty)
            _ = try await store.lifeCycle.restore(goes.id, by: ann)
            #expect(try await lost([stays.id, goes.id]).isEmpty)
        }
    }

    @Test("so are conversations that have lost a message since", arguments: [30, 0])
    func lostMessages(undoDays: Int) async throws {
        try await withSearch { store, database in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let loses = try await store.shared(ann, bob)
            let stays = try await store.shared(ann, bob)
            let ids = [loses.id, stays.id]
            let begin = try await store.lifeCycle.conversationsLost(of: ids, since: nil)
            #expect(begin.ids.isEmpty)
            let turn = try await store.say("tea?", in: loses, by: ann)
            _ = try await store.say("tea?", in: stays, by: ann)
            _ = try await store.messages.delete(
                MessageDeleteRequest(conversation: loses.id, message: turn.message.id),
                by: ann.id
            )
            let rules = LifeCycleRules(undoDays: undoDays)
            while case .rows = try await store.lifeCycle.purgeStep(rules, at: .now, batch: 9) {}
            for since in [begin.time, nil] {
                let lost = try await store.lifeCycle.conversationsLost(of: ids, since: since)
                #expect(lost.ids == [loses.id])
                #expect(lost.time >= begin.time)
            }
            // Losses of the last two minutes are returned again, and no older ones.
            let later = begin.time + 3600
            #expect(try await store.lifeCycle.conversationsLost(of: ids, since: later).ids.isEmpty)
            #expect(
                try await store.lifeCycle.conversationsLost(of: [stays.id], since: nil).ids.isEmpty
            )
        }
    }

    @Test("only an owner can restore a deleted conversation")
    func restoring() async throws {
        try await withSearch { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let conversation = try await store.shared(ann, bob)
            _ = try await store.say("tea?", in: conversation, by: ann)
            _ = try await store.answer("yes")
            let waiting = try await store.say("more?", in: conversation, by: ann)
            let deleted = try await store.conversations.delete(conversation.id, by: ann.id)
            let n = try #require(deleted.events.first?.n)
            let listed = try await store.lifeCycle.deletedConversations(of: ann.id, rules, limit: 9)
            #expect(listed.map(\.id) == [conversation.id])
            #expect(listed.first?.purgeAt != nil)
            #expect(
                try await store.lifeCycle.deletedConversations(of: bob.id, rules, limit: 9).isEmpty
            )
            #expect(
                await refusal {
                    _ = try await store.lifeCycle.restore(conversation.id, by: bob)
                } == .notFound
            )
            let restored = try await store.lifeCycle.restore(conversation.id, by: ann)
            #expect(restored.value.members.count == 2)
            #expect(restored.value.n > n)
            let shown = try await store.shown(conversation, to: bob)
            #expect(shown.map(\.text) == ["tea?", "yes", "more?", ""])
            #expect(shown.last?.state == .stopped)
            // Clients that resynchronize past the deletion see only the end of unfinished answers.
            let events = try await store.events.list(of: conversation.id, after: 0, limit: 100)
            #expect(events.compactMap(\.n) == Array(1...restored.value.n))
            #expect(!events.contains { if case .conversationDeleted = $0 { true } else { false } })
            let isToldOf = events.contains {
                if case .messageStopped(let event) = $0 {
                    event.message == waiting.answer.id
                } else {
                    false
                }
            }
            #expect(isToldOf)
            let again = try await store.lifeCycle.restore(conversation.id, by: ann)
            #expect(again.events.isEmpty)
            _ = try await store.say("on", in: conversation, by: bob)
        }
    }

    @Test("a purge deletes a conversation in small steps, and nothing else")
    func purging() async throws {
        try await withSearch { store, database in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let other = try await store.shared(ann, bob)
            let conversation = try await store.shared(ann, bob)
            for place in [other, conversation] {
                for turn in 0..<3 {
                    let said = try await store.say("q\(turn)", in: place, by: ann)
                    _ = try await store.answer("a\(turn)")
                    _ = try await store.messages.regenerate(
                        MessageAgainRequest(
                            conversation: place.id,
                            key: UUID().uuidString,
                            message: said.answer.id
                        ),
                        by: ann,
                        limits: wide
                    )
                    _ = try await store.answer("b\(turn)")
                }
            }
            let before = try Self.counts(of: other, database)
            let u = try await store.lists.position(of: bob.id)
            _ = try await store.conversations.delete(conversation.id, by: ann.id)
            let now = Timestamp.now
            #expect(try await store.lifeCycle.purgeStep(rules, at: now, batch: 4) == .nothingLeft)
            let later = Timestamp(milliseconds: now.milliseconds + 31 * 86_400_000)
            var steps: [PurgeStep] = []
            repeat {
                steps.append(try await store.lifeCycle.purgeStep(rules, at: later, batch: 4))
                #expect(
                    await refusal {
                        _ = try await store.lifeCycle.restore(conversation.id, by: ann)
                    } == .notFound
                )
            } while steps.last != .nothingLeft && steps.count < 100
            #expect(steps.count > 5)
            #expect(steps.suffix(2) == [.purged(conversation.id), .nothingLeft])
            for case .rows(let count) in steps { #expect(count <= 4) }
            #expect(try Self.counts(of: conversation, database).allSatisfy { $0 == 0 })
            #expect(try Self.counts(of: other, database) == before)
            // A client that was offline is told of the deletion.
            let changes = try await store.lists.changes(
                of: bob.id,
                after: u,
                changeLimit: 9,
                pageLimit: 9
            )
            #expect(changes.unlisted?.map(\.conversation) == [conversation.id])
            let audit = try database.query(
                "SELECT action FROM audit_log WHERE object = $1",
                [.text(conversation.id.description)]
            )
            #expect(try audit.map { try $0.decode(as: String.self) } == ["conversation.purged"])
        }
    }

    /// Row counts of a conversation: itself, members, messages, events.
    private static func counts(of place: Conversation, _ database: TestDatabase) throws -> [Int64] {
        let rows = try database.query(
            """
            SELECT ARRAY[
                (SELECT count(*) FROM conversations WHERE id = $1),
                (SELECT count(*) FROM members WHERE conversation_id = $1),
                (SELECT count(*) FROM messages WHERE conversation_id = $1),
                (SELECT count(*) FROM events WHERE conversation_id = $1),
                (SELECT count(*) FROM system_prompts WHERE conversation_id = $1)
            ]
            """,
            [.uuid(place.id.uuid)]
        )
        return try rows.first?.decode(as: [Int64].self) ?? []
    }

    @Test("a legal hold prevents deletion, expiry and retention, until it is released")
    func holding() async throws {
        try await withSearch { store, database in
            let (ann, admin) = (try await store.someone(), try await store.someone())
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("evidence", in: conversation, by: ann)
            let gone = try await store.say("deleted evidence", in: conversation, by: ann)
            _ = try await store.messages.delete(
                MessageDeleteRequest(conversation: conversation.id, message: gone.message.id),
                by: ann.id
            )
            let hold = ConversationHoldRequest(
                conversation: conversation.id,
                hold: true,
                reason: "a lawsuit"
            )
            try await store.lifeCycle.hold(hold, by: admin)
            _ = try await store.conversations.delete(conversation.id, by: ann.id)
            let later = Timestamp(milliseconds: Timestamp.now.milliseconds + 400 * 86_400_000)
            #expect(
                try await store.lifeCycle.purgeStep(rules, at: later, batch: 100) == .nothingLeft
            )
            let listed = try await store.lifeCycle.deletedConversations(of: ann.id, rules, limit: 9)
            #expect(listed.map(\.purgeAt) == [nil])
            #expect(await refusal { _ = try await store.shown(conversation, to: ann) } == .notFound)
            let texts = try database.query("SELECT body FROM messages WHERE body LIKE '%evidence'")
            #expect(texts.count == 2)
            try await store.lifeCycle.hold(
                ConversationHoldRequest(conversation: conversation.id, hold: false),
                by: admin
            )
            #expect(
                try await store.lifeCycle.purgeStep(rules, at: later, batch: 100) != .nothingLeft
            )
            #expect(await refusal { try await store.lifeCycle.hold(hold, by: admin) } == .notFound)
            let audit = try database.query("SELECT action FROM audit_log ORDER BY id")
            #expect(
                try audit.map { try $0.decode(as: String.self) } == [
                    "conversation.held", "conversation.released",
                ]
            )
        }
    }

    @Test("temporary conversations, and a team's idle ones, are deleted automatically")
    func retention() async throws {
        try await withSearch { store, database in
            let ann = try await store.someone()
            let lasting = try await store.someConversation(of: ann)
            let temporary = try await store.conversations.create(
                ConversationCreateRequest(key: "t", expiresIn: 3600),
                model: "demo",
                by: ann.id
            )
            let idle = try await store.someConversation(of: ann)
            let team = TeamID.make()
            try database.run(
                """
                INSERT INTO teams (id, name) VALUES ('\(team)', 'zoo');
                INSERT INTO team_members (team_id, user_id, role)
                    VALUES ('\(team)', '\(ann.id)', 'admin');
                UPDATE conversations SET team_id = '\(team)', updated_at = now() - interval '9 days'
                    WHERE id = '\(idle.id)';
                """
            )
            func due(in hours: Int64) async throws -> Set<ConversationID> {
                let now = Timestamp(milliseconds: Timestamp.now.milliseconds + hours * 3_600_000)
                return Set(try await store.lifeCycle.conversationsDue(rules, at: now, limit: 9))
            }
            #expect(try await due(in: 0).isEmpty)
            #expect(try await due(in: 2) == [temporary.id])
            try await store.lifeCycle.setRetention(
                TeamRetentionRequest(team: team, days: 8),
                by: ann
            )
            #expect(try await due(in: 0) == [idle.id])
            #expect(try await due(in: 2) == [idle.id, temporary.id])
            try await store.lifeCycle.setRetention(
                TeamRetentionRequest(team: team, days: 10),
                by: ann
            )
            #expect(try await due(in: 0).isEmpty)

            let later = Timestamp(milliseconds: Timestamp.now.milliseconds + 2 * 3_600_000)
            let deleted = try await store.lifeCycle.deleteWhereDue(temporary.id, rules, at: later)
            #expect(deleted?.value == [ann.id])
            #expect(try await store.lifeCycle.deleteWhereDue(lasting.id, rules, at: later) == nil)
            // It cannot be restored, and is purged at once.
            var steps = 0
            while try await store.lifeCycle.purgeStep(rules, at: later, batch: 100) != .nothingLeft
            {
                steps += 1
            }
            #expect((1...9).contains(steps))
            #expect(try Self.counts(of: temporary, database)[0] == 0)
            #expect(try Self.counts(of: lasting, database)[0] == 1)
            let viewer = try await store.someone()
            #expect(
                await refusal {
                    try await store.lifeCycle.setRetention(
                        TeamRetentionRequest(team: team, days: nil),
                        by: viewer
                    )
                } == .notFound
            )
        }
    }

    @Test("messages that were deleted alone lose their text, and keep their position")
    func deletedMessages() async throws {
        try await withSearch { store, database in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("stays", in: conversation, by: ann)
            _ = try await store.answer("stays too")
            let gone = try await store.say("a secret", in: conversation, by: ann)
            _ = try await store.answer("kept well")
            _ = try await store.messages.delete(
                MessageDeleteRequest(conversation: conversation.id, message: gone.message.id),
                by: ann.id
            )
            let later = Timestamp(milliseconds: Timestamp.now.milliseconds + 31 * 86_400_000)
            #expect(try await store.lifeCycle.purgeStep(rules, at: later, batch: 1) == .rows(1))
            #expect(try await store.lifeCycle.purgeStep(rules, at: later, batch: 1) == .rows(1))
            #expect(try await store.lifeCycle.purgeStep(rules, at: later, batch: 1) == .nothingLeft)
            let texts = try database.query("SELECT body FROM messages ORDER BY body")
            #expect(
                try texts.map { try $0.decode(as: String.self) } == [
                    "", "", "stays", "stays too",
                ]
            )
            let shown = try await store.shown(conversation, to: ann)
            #expect(shown.map(\.text) == ["stays", "stays too"])
            _ = try await store.events.list(of: conversation.id, after: 0, limit: 100)
        }
    }
}
