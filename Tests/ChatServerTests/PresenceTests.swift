import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import TestSupport
import Testing

extension ServerEvent {
    /// Who came or left, and which of the two.
    fileprivate var presence: (user: UserID, isOnline: Bool)? {
        guard case .presenceChanged(let change) = self else { return nil }
        return (change.user.id, change.online)
    }

    /// Who is typing.
    fileprivate var typist: UserID? {
        if case .typing(let typing) = self { typing.user.id } else { nil }
    }
}

@Suite("Presence")
struct PresenceTests {
    @Test("is sent to subscribers, also on other nodes, and so are typing and leaving")
    func presence() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (first, second) = try Node.two(loop, configuration, makesAnswers: false)
            let ann = try await first.addUser("ann")
            let bob = try await first.addUser("bob")
            let conversation = try await first.makeConversation(by: ann)
            _ = try await first.store.conversations.addMember(
                MemberAddRequest(conversation: conversation, user: "bob"),
                by: ann.id
            )
            let ofAnn = EventListener(loop)
            try await ofAnn.watch(conversation, of: ann, on: first)
            first.link.presence.join(conversation, ann, ofAnn)
            let ofBob = EventListener(loop)
            try await ofBob.watch(conversation, of: bob, on: second)
            second.link.presence.join(conversation, bob, ofBob)
            // The nodes may not know each other yet; then the next repetition does it.
            try await ofAnn.wait(until: { $0.presence.map { $0 == (bob.id, true) } ?? false })
            try await ofBob.wait(until: { $0.presence.map { $0 == (ann.id, true) } ?? false })
            for _ in 0..<5 { second.link.presence.typed(bob, in: conversation) }
            try await ofAnn.wait(until: { $0.typist == bob.id })
            second.hub.unwatch(conversation, ofBob)
            try await ofAnn.wait(until: { $0.presence.map { $0 == (bob.id, false) } ?? false })
            #expect(ofAnn.events.filter { $0.typist != nil }.count == 1)
            #expect(!ofAnn.events.contains { $0.presence?.user == ann.id })
            await first.end()
            await second.end()
        }
        withExtendedLifetime(database) {}
    }
}
