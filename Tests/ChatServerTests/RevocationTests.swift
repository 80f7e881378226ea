import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Postgres
import TestSupport
import Testing

/// Two nodes, and two members of a team's conversation.
private struct Scene {
    let maker: Node
    let other: Node
    let ann: User
    let bob: User
    let team: TeamID
    let conversation: ConversationID
    /// Both subscribe on the node that runs no answers.
    let annListener: EventListener
    let bobListener: EventListener

    init(_ loop: EventLoop, _ configuration: PostgresConfiguration, makesAnswers: Bool) async throws
    {
        (maker, other) = try Node.two(loop, configuration, makesAnswers: makesAnswers)
        ann = try await maker.addUser("ann")
        bob = try await maker.addUser("bob")
        let store = maker.store
        team = try await store.teams.create(TeamCreateRequest(key: "t", name: "Bakers"), by: ann).id
        let token = Array("0123456789abcdef0123456789abcdef".utf8)
        _ = try await store.teams.invite(
            TeamInviteRequest(team: team),
            tokenHash: token,
            lifetime: .seconds(60),
            by: ann
        )
        _ = try await store.teams.join(tokenHash: token, by: bob)
        conversation = try await store.conversations.create(
            ConversationCreateRequest(key: "c", title: "Bread", team: team),
            model: "demo",
            by: ann.id
        ).id
        _ = try await store.conversations.addMember(
            MemberAddRequest(conversation: conversation, user: "bob"),
            by: ann.id
        )
        annListener = EventListener(loop)
        bobListener = EventListener(loop)
        for (user, listener) in [(ann, annListener), (bob, bobListener)] {
            other.hub.connect(listener, of: user)
            try await listener.watch(conversation, of: user, on: other)
        }
    }

    /// Removes Bob from the team, as a session on the node that runs answers does.
    func removeBob() async throws {
        let events = try await maker.store.teams.removeMember(
            TeamMemberRemoveRequest(team: team, user: bob.id),
            by: ann
        )
        maker.link.tellMembers(events)
        maker.link.standingChanged(of: bob.id)
    }

    /// Events about Bob's answer, and later ones, must not have reached him.
    func expectBobHeardNothing(after departure: (ServerEvent) -> Bool) {
        let heard = bobListener.events.filter { $0.n != nil }
        #expect(heard.last.map(departure) == true)
        #expect(!other.hub.isWatching(conversation, bobListener))
    }

    func end() async {
        await maker.end()
        await other.end()
    }
}

extension ServerEvent {
    /// Whether a member left.
    fileprivate var isDeparture: Bool {
        if case .memberChanged(let change) = self { change.role == nil } else { false }
    }

    /// The stopped answer.
    fileprivate var stopped: MessageID? {
        if case .messageStopped(let ended) = self { ended.message } else { nil }
    }
}

@Suite("Revoked rights, on several nodes")
struct RevocationTests {
    private func withScene(
        makesAnswers: Bool,
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let scene = try await Scene(loop, configuration, makesAnswers: makesAnswers)
            try await body(scene)
            await scene.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("the user receives nothing more on any node, and queued answers end as stopped")
    func waiting() async throws {
        try await withScene(makesAnswers: false) { scene in
            let answer = try await scene.maker.ask("Rye?", in: scene.conversation, by: scene.bob)
            try await scene.removeBob()
            try await scene.annListener.wait(until: { $0.stopped == answer })
            scene.expectBobHeardNothing { $0.isDeparture }
            await #expect(throws: WireError.noSuchConversation) {
                try await scene.maker.ask("Still?", in: scene.conversation, by: scene.bob)
            }
        }
    }

    @Test("an answer that another node has claimed is stopped")
    func claimed() async throws {
        try await withScene(makesAnswers: true) { scene in
            let release = await scene.maker.holdPrompts()
            let answer = try await scene.maker.ask("Rye?", in: scene.conversation, by: scene.bob)
            try await scene.removeBob()
            try await scene.annListener.wait(until: { $0.isDeparture })
            try await release()
            try await scene.annListener.wait(until: { $0.endedMessage == answer })
            let ended = scene.annListener.events.contains { $0.stopped == answer }
            #expect(ended, "the answer went on")
            scene.expectBobHeardNothing { $0.isDeparture }
        }
    }

    @Test("nodes without a notification notice within a second")
    func untold() async throws {
        try await withScene(makesAnswers: false) { scene in
            let answer = try await scene.maker.ask("Rye?", in: scene.conversation, by: scene.bob)
            // As another program would: no node is notified.
            let begin = ContinuousClock.now
            _ = try await scene.maker.store.teams.updateMember(
                TeamMemberUpdateRequest(team: scene.team, user: scene.bob.id, role: .viewer),
                by: scene.ann
            )
            try await scene.annListener.wait(until: { $0.stopped == answer })
            #expect(ContinuousClock.now - begin < .seconds(4), "the looks are a second apart")
            #expect(scene.other.hub.isWatching(scene.conversation, scene.bobListener))
        }
    }
}
