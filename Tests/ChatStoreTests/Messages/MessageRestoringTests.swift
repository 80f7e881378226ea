import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import TestSupport
import Testing
import Transfers

private let rules = LifeCycleRules(undoDays: 30)

extension Store {
    fileprivate func delete(_ message: MessageID, _ place: Conversation, _ user: User) async throws
        -> [MessageID]
    {
        let request = MessageDeleteRequest(conversation: place.id, message: message)
        return try await messages.delete(request, by: user.id).value.messages
    }

    @discardableResult
    fileprivate func restore(
        _ message: MessageID,
        _ place: Conversation,
        _ user: User,
        days: Int64 = 0
    ) async throws -> [MessageID] {
        try await messages.restore(
            MessageRestoreRequest(conversation: place.id, message: message),
            by: user.id,
            rules,
            at: Timestamp(milliseconds: Timestamp.now.milliseconds + days * 86_400_000)
        ).value
    }
}

@Suite("Undoing a message's deletion")
struct MessageRestoringTests {
    @Test("restores exactly the messages deleted with it, and the newest one's position")
    func subtree() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let place = try await store.someConversation(of: ann)
            let first = try await store.say("first", in: place, by: ann)
            _ = try await store.answer("one zanzibar")
            let second = try await store.say("second", in: place, by: ann)
            _ = try await store.answer("two")
            let third = try await store.say("third", in: place, by: ann)
            let before = try await store.shown(place, to: ann).map(\.id)

            let inner = try await store.delete(third.message.id, place, ann)
            #expect(inner == [third.message.id, third.answer.id])
            let outer = try await store.delete(first.answer.id, place, ann)
            #expect(outer == [first.answer.id, second.message.id, second.answer.id])
            #expect(
                await refusal { try await store.restore(third.message.id, place, ann) } == .conflict
            )
            // By any of the deleted messages.
            #expect(try await store.restore(second.message.id, place, ann) == outer)
            let shown = try await store.shown(place, to: ann)
            #expect(shown.map(\.id) == Array(before.dropLast(2)))
            #expect(shown.map(\.text) == ["first", "one zanzibar", "second", "two"])
            #expect(try await store.find("zanzibar", as: ann).count == 1)
            #expect(try await store.restore(second.message.id, place, ann).isEmpty)
            #expect(try await store.restore(third.message.id, place, ann) == inner)
            let all = try await store.shown(place, to: ann)
            #expect(all.map(\.id) == before)
            #expect(all.last?.state == .stopped, "nobody makes it any more")
            #expect(try await store.claimRun(node: UUID(), lease: .seconds(60)) == nil)
            let next = try await store.say("on", in: place, by: ann)
            #expect(next.message.parent == before.last)
            #expect(try await store.ledger.imbalances().isEmpty)

            let exported = try await store.exported()
            let texts = exported.records.compactMap { record -> String? in
                if case .message(let message) = record { message.text } else { nil }
            }
            #expect(texts.filter { $0 == "second" }.count == 1, "told once, though it came twice")
        }
    }

    @Test("is in the log, and does not switch the branch of newer messages")
    func meanwhile() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let place = try await store.someConversation(of: ann)
            let first = try await store.say("first", in: place, by: ann)
            _ = try await store.answer("one")
            let gone = try await store.delete(first.message.id, place, ann)
            let other = try await store.say("other", in: place, by: ann)
            #expect(try await store.restore(first.message.id, place, ann) == gone)
            let events = try await store.events.list(of: place.id, after: 0, limit: 100)
            guard case .messageRestored(let restored)? = events.last else {
                Issue.record("not told of: \(events)")
                return
            }
            #expect(restored.messages == gone)
            #expect(events.compactMap(\.n) == Array(1...restored.n))
            let shown = try await store.shown(place, to: ann)
            #expect(shown.map(\.id) == [other.message.id, other.answer.id])
            #expect(shown.first?.siblings == [first.message.id, other.message.id])
        }
    }

    @Test("is permitted to the user who deleted it and to owners, for some days")
    func whoRestores() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let (eve, viewer) = (try await store.someone(), try await store.someone())
            let place = try await store.shared(ann, bob, eve)
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: place.id, user: viewer.name, role: .viewer),
                by: ann.id
            )
            let said = try await store.say("bob's", in: place, by: bob)
            let message = said.message.id
            func code(_ user: User, days: Int64 = 0) async -> ErrorCode? {
                await refusal { try await store.restore(message, place, user, days: days) }
            }
            _ = try await store.delete(message, place, bob)
            #expect(await code(eve) == .notFound)
            #expect(await code(viewer) == .forbidden)
            let stranger = try await store.someone()
            #expect(await code(stranger) == .notFound)
            #expect(await code(bob, days: 31) == .notFound)
            #expect(await code(bob, days: 29) == nil)
            _ = try await store.delete(message, place, ann)
            #expect(await code(bob) == .notFound, "the owner took it away")
            #expect(await code(ann) == nil)
            _ = try await store.delete(message, place, bob)
            #expect(await code(ann) == nil)
            #expect(
                await refusal { try await store.restore(.make(), place, ann) } == .notFound
            )
            _ = try await store.delete(message, place, bob)
            let later = Timestamp(milliseconds: Timestamp.now.milliseconds + 31 * 86_400_000)
            while try await store.lifeCycle.purgeStep(rules, at: later, batch: 100) != .nothingLeft
            {}
            #expect(await code(bob) == .notFound, "its text is gone")
        }
    }
}
