// Changes of users' lists on their connections.

import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Networking
import Postgres
import TestSupport
import Testing

/// A connection whose reading speed the test controls, and that builds its list from events.
private final class Device: Watcher {
    var isSlow = false
    let isStuck = false
    private(set) var u: Int64
    private(set) var titles: [ConversationID: String] = [:]
    private(set) var mentions: [ConversationID: Int] = [:]
    private(set) var teams: [TeamID: Team] = [:]
    private(set) var folders: [Folder] = []
    private let loop: EventLoop
    private var waiting: (u: Int64, promise: LoopPromise<Void, CancellationError>)?

    init(_ loop: EventLoop, at u: Int64) {
        self.loop = loop
        self.u = u
    }

    func send(_ frame: SharedBytes) {
        let start = [126: 4, 127: 10][frame.bytes[1]] ?? 2
        guard case .event(let event)? = try? ServerFrame.parse(Array(frame.bytes[start...])) else {
            Issue.record("a frame is no event")
            return
        }
        switch event {
        case .conversationListed(let listed):
            take(listed.after, listed.u)
            titles[listed.conversation] = listed.summary.title
            mentions[listed.conversation] = listed.summary.mentions
            #expect(listed.summary.u == listed.u)
        case .conversationUnlisted(let unlisted):
            take(unlisted.after, unlisted.u)
            titles[unlisted.conversation] = nil
        case .teamChanged(let changed):
            take(changed.after, changed.u)
            teams[changed.team.id] = changed.team
        case .teamLeft(let left):
            take(left.after, left.u)
            teams[left.team] = nil
        case .foldersChanged(let changed):
            take(changed.after, changed.u)
            folders = changed.folders
        default: Issue.record("not of lists: \(event.name)")
        }
        guard let waiting, u >= waiting.u else { return }
        self.waiting = nil
        waiting.promise.succeed(())
    }

    private func take(_ after: Int64, _ new: Int64) {
        #expect(after == u, "a gap")
        #expect(new > u)
        u = new
    }

    /// Waits until a number was received.
    func wait(for u: Int64) async throws {
        guard self.u < u else { return }
        let promise = LoopPromise<Void, CancellationError>(loop)
        waiting = (u, promise)
        try await promise.value { promise.fail(CancellationError()) }
    }
}

@Suite("Lists on all devices", .timeLimit(.minutes(1)))
struct ListHubTests {
    private func withNode(
        _ body: @escaping @Sendable (Node, EventLoop, User) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            try await body(node, loop, try await node.addUser())
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("two devices and another member receive all changes, without a gap")
    func devices() async throws {
        try await withNode { node, loop, ann in
            let bob = try await node.addUser("bob")
            let phone = Device(loop, at: 0)
            let desk = Device(loop, at: 0)
            let other = Device(loop, at: 0)
            node.hub.connect(phone, of: ann)
            node.hub.connect(desk, of: ann)
            node.hub.connect(other, of: bob)
            let tea = try await node.makeConversation(by: ann)
            node.hub.lists.changed(ann.id)
            for device in [phone, desk] { try await device.wait(for: 1) }
            let added = try await node.store.conversations.addMember(
                MemberAddRequest(conversation: tea, user: "bob"),
                by: ann.id
            )
            node.hub.publish(added.events, in: tea)
            for title in ["Tea", "Green tea"] {
                let committed = try await node.store.conversations.update(
                    ConversationUpdateRequest(conversation: tea, title: title),
                    by: ann.id
                )
                node.hub.publish(committed.events, in: tea)
            }
            for device in [phone, desk] { try await device.wait(for: 4) }
            try await other.wait(for: 3)
            for device in [phone, desk, other] { #expect(device.titles == [tea: "Green tea"]) }
            let removed = try await node.store.conversations.removeMember(
                MemberRemoveRequest(conversation: tea, user: bob.id),
                by: bob.id
            )
            node.hub.publish(removed.events, in: tea)
            node.hub.lists.changed(bob.id)
            try await other.wait(for: 4)
            try await phone.wait(for: 5)
            #expect(other.titles.isEmpty)
            #expect(phone.titles.count == 1)
        }
    }

    @Test("a turn is reported: moved, running, and unread when it is answered")
    func turn() async throws {
        try await withNode { node, loop, ann in
            let tea = try await node.makeConversation(by: ann)
            let device = Device(loop, at: 1)
            node.hub.connect(device, of: ann, listPosition: 1)
            _ = try await node.say("What is the capital of France?", in: tea, by: ann)
            try await device.wait(for: 3)
            let summary = try await node.store.conversations.conversation(tea, for: ann.id)
            #expect(summary.unread == 1)
            #expect(summary.running == 0)
            #expect(device.titles[tea] == summary.title)
        }
    }

    @Test("a slow consumer is skipped, and gets the merged changes when it reads again")
    func slow() async throws {
        try await withNode { node, loop, ann in
            let tea = try await node.makeConversation(by: ann)
            let slow = Device(loop, at: 1)
            let quick = Device(loop, at: 1)
            slow.isSlow = true
            node.hub.connect(slow, of: ann, listPosition: 1)
            node.hub.connect(quick, of: ann, listPosition: 1)
            for title in ["A", "B", "C"] {
                let committed = try await node.store.conversations.update(
                    ConversationUpdateRequest(conversation: tea, title: title),
                    by: ann.id
                )
                node.hub.publish(committed.events, in: tea)
                try await quick.wait(for: quick.u + 1)
            }
            #expect(quick.u == 4)
            #expect(slow.u == 1)
            slow.isSlow = false
            node.hub.resume([], slow, of: ann.id)
            try await slow.wait(for: 4)
            #expect(slow.titles == [tea: "C"])
        }
    }

    @Test("changes during the start of a connection are sent at once")
    func between() async throws {
        try await withNode { node, loop, ann in
            let tea = try await node.makeConversation(by: ann)
            let late = Device(loop, at: 0)
            node.hub.connect(late, of: ann)
            try await late.wait(for: 1)
            #expect(late.titles.keys.first == tea)
        }
    }

    @Test("changes without a notification are found by polling")
    func looking() async throws {
        try await withNode { node, loop, ann in
            _ = try await node.makeConversation(by: ann)
            let device = Device(loop, at: 0)
            node.hub.connect(device, of: ann)
            try await device.wait(for: 1)
            _ = try await node.makeConversation(by: ann)
            try await device.wait(for: 2)
            #expect(device.titles.count == 2)
        }
    }

    @Test("if the database was unavailable during a poll, all lists are polled once it is back")
    func lookingAgain() async throws {
        try await withNode { node, loop, _ in
            var source = ListHub.Source(node.store)
            var counts: [Int] = []
            let isDone = LoopPromise<Void, CancellationError>(loop)
            source.positions = { known in
                counts.append(known.count)
                if counts.count == 1 { throw PostgresError.closed }
                if counts.count == 3 { isDone.succeed(()) }
                return [:]
            }
            node.hub.lists.source = source
            for number in 1...300 {
                let user = User(id: .make(), name: "user \(number)")
                node.hub.connect(Device(loop, at: 0), of: user)
            }
            try await isDone.value { isDone.fail(CancellationError()) }
            #expect(counts.prefix(3) == [100, 200, 100])
        }
    }

    @Test("a change by one node soon reaches a device on another node")
    func nodes() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (one, other) = try Node.two(loop, configuration)
            let ann = try await one.addUser()
            let bob = try await one.addUser("bob")
            let tea = try await one.makeConversation(by: ann)
            let device = Device(loop, at: 0)
            other.hub.connect(device, of: bob)
            await other.link.join(bob.id)
            let added = try await one.store.conversations.addMember(
                MemberAddRequest(conversation: tea, user: "bob"),
                by: ann.id
            )
            one.hub.publish(added.events, in: tea)
            try await device.wait(for: 1)
            let committed = try await one.store.conversations.update(
                ConversationUpdateRequest(conversation: tea, title: "Tea"),
                by: ann.id
            )
            one.hub.publish(committed.events, in: tea)
            try await device.wait(for: 2)
            #expect(device.titles == [tea: "Tea"])
            await one.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("changes of a team reach all its members, on any node, and former members")
    func teams() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (one, other) = try Node.two(loop, configuration, makesAnswers: false)
            let ann = try await one.addUser()
            let bob = try await one.addUser("bob")
            let desk = Device(loop, at: 0)
            let phone = Device(loop, at: 0)
            one.hub.connect(desk, of: ann)
            other.hub.connect(phone, of: bob)
            await other.link.join(bob.id)
            let team = try await one.store.teams.create(
                TeamCreateRequest(key: "t", name: "Bakers"),
                by: ann
            )
            one.hub.lists.changed(team.id)
            try await desk.wait(for: 1)
            #expect(desk.teams == [team.id: team])
            let token = [UInt8](repeating: 1, count: 32)
            _ = try await one.store.teams.invite(
                TeamInviteRequest(team: team.id, role: .viewer),
                tokenHash: token,
                lifetime: .seconds(60),
                by: ann
            )
            let joined = try await one.store.teams.join(tokenHash: token, by: bob)
            one.hub.lists.changed(team.id)
            try await phone.wait(for: 1)
            #expect(phone.teams == [team.id: joined])
            _ = try await one.store.teams.rename(
                TeamUpdateRequest(team: team.id, name: "Millers"),
                by: ann
            )
            one.hub.lists.changed(team.id)
            try await phone.wait(for: 2)
            #expect(phone.teams == [team.id: Team(id: team.id, name: "Millers", role: .viewer)])
            _ = try await one.store.teams.removeMember(
                TeamMemberRemoveRequest(team: team.id, user: bob.id),
                by: ann
            )
            one.hub.lists.changed(team.id)
            try await phone.wait(for: 3)
            try await desk.wait(for: 4)
            #expect(phone.teams.isEmpty)
            #expect(desk.teams == [team.id: Team(id: team.id, name: "Millers", role: .owner)])
            await one.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("a mention reaches a device on another node, and reading it removes the mark there")
    func mentions() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (one, other) = try Node.two(loop, configuration, makesAnswers: false)
            let ann = try await one.addUser()
            let bob = try await one.addUser("bob")
            let tea = try await one.makeConversation(by: ann)
            let added = try await one.store.conversations.addMember(
                MemberAddRequest(conversation: tea, user: "bob"),
                by: ann.id
            )
            one.hub.publish(added.events, in: tea)
            let device = Device(loop, at: 0)
            other.hub.connect(device, of: bob)
            await other.link.join(bob.id)
            _ = try await one.ask("@Bob, rye or wheat?", in: tea, by: ann)
            try await device.wait(for: 2)
            #expect(device.mentions == [tea: 1])
            let n = try await one.store.conversations.conversation(tea, for: bob.id).n
            _ = try await one.store.lists.markRead(
                ConversationReadRequest(conversation: tea, n: n),
                by: bob.id
            )
            one.hub.lists.changed(bob.id)
            try await device.wait(for: 3)
            #expect(device.mentions.isEmpty)
            await one.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }
}
