import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Postgres
import TestSupport
import Testing

private let lifetime = SessionLifetime(idle: .seconds(60), absolute: .seconds(600))

/// A connection that records how it was closed.
private final class Connection: SignInHolder {
    let signedIn: SignedIn
    private(set) var code: CloseCode?
    /// How often it was checked.
    private(set) var checkCount = 0
    private let ended: LoopPromise<Void, CancellationError>

    init(_ signedIn: SignedIn, _ loop: EventLoop) {
        self.signedIn = signedIn
        ended = LoopPromise(loop)
    }

    func takeUse() -> Bool {
        checkCount += 1
        return true
    }

    func signInEnded(_ code: CloseCode) {
        guard self.code == nil else { return }
        self.code = code
        ended.succeed(())
    }

    /// Waits until it is closed.
    func end() async throws -> CloseCode? {
        if code == nil { try await ended.value { self.ended.fail(CancellationError()) } }
        return code
    }
}

/// A node with its sign-in watch.
private struct Watched {
    let node: Node
    let watch: SignInWatch
    let accounts: Accounts

    init(_ node: Node) {
        self.node = node
        watch = SignInWatch(
            loop: node.loop,
            store: node.store,
            nodes: node.link,
            lifetime: lifetime
        )
        accounts = Accounts(store: node.store, signIns: watch)
        node.accountChanged = { [weak watch] in watch?.accessChanged(of: $0) }
        watch.start()
    }

    /// Creates a connection with a new sign-in.
    func connect(_ user: User, _ byte: UInt8) async throws -> Connection {
        let hash = [UInt8](repeating: byte, count: 32)
        _ = try await node.store.sessions.add(
            user: user.id,
            tokenHash: hash,
            device: "test",
            lifetime: lifetime
        )
        let signedIn = try await node.store.sessions.session(tokenHash: hash, lifetime: lifetime)
        let connection = Connection(try #require(signedIn), node.loop)
        watch.add(connection)
        await node.link.join(user.id)
        return connection
    }

    func end() async {
        await watch.stop()
        await node.end()
    }
}

@Suite("The end of a sign-in")
struct SignInWatchTests {
    /// Two nodes on one database that run no answers.
    private func withTwo(
        _ body: @escaping @Sendable (Watched, Watched) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let nodes = try Node.two(loop, configuration, makesAnswers: false)
            let first = Watched(nodes.0)
            let second = Watched(nodes.1)
            try await body(first, second)
            await first.end()
            await second.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("closes its connections on every node, and no others")
    func revoking() async throws {
        try await withTwo { first, second in
            let ann = try await first.node.addUser()
            let here = try await first.connect(ann, 1)
            let there = try await second.connect(ann, 2)
            let other = try await second.connect(ann, 3)
            try await first.accounts.revokeSession(
                there.signedIn.session,
                of: ann.id,
                by: Actor(ann)
            )
            #expect(try await there.end() == .sessionEnded)
            let ended = try await second.accounts.revokeSessions(
                of: ann.id,
                but: other.signedIn.session,
                by: Actor(ann)
            )
            #expect(ended == 1)
            #expect(try await here.end() == .sessionEnded)
            #expect(other.code == nil)
        }
    }

    @Test("is acknowledged after everything sent before has left")
    func settling() async throws {
        try await withTwo { first, _ in
            let ann = try await first.node.addUser()
            let connection = try await first.connect(ann, 1)
            var codes: [CloseCode?] = []
            first.node.hub.settle = { codes.append(connection.code) }
            try await first.accounts.revokeSession(
                connection.signedIn.session,
                of: ann.id,
                by: Actor(ann)
            )
            #expect(codes == [.sessionEnded])
        }
    }

    @Test("is found by polling without a notification")
    func looking() async throws {
        try await withTwo { first, second in
            let root = try await first.node.addUser("root", isAdmin: true)
            let ann = try await first.node.addUser()
            let boss = try await second.connect(root, 1)
            let connection = try await second.connect(ann, 2)
            try await first.node.store.accounts.disable(ann.id, by: .terminal)
            #expect(try await connection.end() == .sessionEnded)
            #expect(boss.code == nil)
        }
    }

    /// Connections of new users, `user 1` and so on.
    private func connectMany(
        of count: Int,
        to watched: Watched,
        _ database: TestDatabase
    ) async throws -> [Connection] {
        try database.run(
            """
            CREATE TEMPORARY TABLE people AS
                SELECT gen_random_uuid() AS id, n FROM generate_series(1, \(count)) n;
            INSERT INTO users (id, name, password_hash) SELECT id, 'user ' || n, 'none' FROM people;
            INSERT INTO sessions (id, user_id, token_hash, expires_at)
            SELECT gen_random_uuid(), id, decode(lpad(to_hex(n), 64, '0'), 'hex'),
                now() + interval '1 day' FROM people;
            """
        )
        var connections: [Connection] = []
        for number in 1...count {
            let hash =
                [UInt8](repeating: 0, count: 30) + [UInt8(number >> 8), UInt8(number & 255)]
            let found = try await watched.node.store.sessions.session(
                tokenHash: hash,
                lifetime: lifetime
            )
            let connection = Connection(try #require(found), watched.node.loop)
            watched.watch.add(connection)
            connections.append(connection)
        }
        return connections
    }

    @Test("is found among many connections by the next poll without a notification")
    func oneOfMany() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let watched = Watched(try Node(loop, configuration, makesAnswers: false))
            let connections = try await connectMany(of: 500, to: watched, database)
            // As for all new connections.
            while connections.contains(where: { $0.checkCount == 0 }) {
                try await loop.sleep(for: .milliseconds(10))
            }
            let before = connections.reduce(0) { $0 + $1.checkCount }
            // One of them might be found early by chance, but not five.
            let names = (1...5).map { "'user \($0)'" }.joined(separator: ", ")
            try database.run("UPDATE users SET disabled_at = now() WHERE name IN (\(names))")
            for connection in connections.prefix(5) {
                #expect(try await connection.end() == .sessionEnded)
            }
            // By turns it would have needed all of them.
            let checkCount = connections.reduce(0) { $0 + $1.checkCount } - before
            #expect(checkCount < 100)
            #expect(connections.dropFirst(5).allSatisfy { $0.code == nil })
            await watched.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test(
        "is found by checking all connections each time, if changes of access cannot be read",
        .timeLimit(.minutes(1))
    )
    func unreadable() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        // As for a role without a grant.
        try database.run("ALTER TABLE access_changes RENAME TO unreadable")
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let watched = Watched(try Node(loop, configuration, makesAnswers: false))
            let connections = try await connectMany(of: 500, to: watched, database)
            // Once as a new connection, and by turns once a minute.
            while connections.contains(where: { $0.checkCount < 4 }) {
                try await loop.sleep(for: .milliseconds(10))
            }
            await watched.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("is polled together with departures: a former member receives nothing more")
    func departure() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            // A node that does not poll its conversations, and gets no notifications.
            let watched = Watched(try Node(loop, configuration, makesAnswers: false))
            let node = watched.node
            let ann = try await node.addUser()
            let bob = try await node.addUser("bob")
            let conversation = try await node.makeConversation(by: ann)
            let joining = MemberAddRequest(conversation: conversation, user: "bob")
            _ = try await node.store.conversations.addMember(joining, by: ann.id)
            let listener = EventListener(loop)
            node.hub.connect(listener, of: bob)
            try await listener.watch(conversation, of: bob, on: node)
            let removal = MemberRemoveRequest(conversation: conversation, user: bob.id)
            _ = try await node.store.conversations.removeMember(removal, by: ann.id)
            try await listener.wait {
                if case .memberChanged(let change) = $0 { change.role == nil } else { false }
            }
            #expect(!node.hub.isWatching(conversation, listener))
            node.hub.disconnect(listener, of: bob.id, watching: [])
            await watched.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("closes all connections of many users")
    func many() async throws {
        try await withTwo { first, _ in
            let ann = try await first.node.addUser()
            let signedIn = try await first.connect(ann, 1).signedIn
            let many = (0..<2500).map { _ in Connection(signedIn, first.node.loop) }
            for connection in many { first.watch.add(connection) }
            try await first.accounts.revokeSession(signedIn.session, of: ann.id, by: Actor(ann))
            for connection in many { #expect(try await connection.end() == .sessionEnded) }
        }
    }

    @Test("differs from a change of rights, after which clients may reconnect")
    func rights() async throws {
        try await withTwo { first, second in
            let ann = try await first.node.addUser()
            let connection = try await second.connect(ann, 1)
            try await first.accounts.setAdministrator(ann.id, true, by: .terminal)
            #expect(try await connection.end() == .rightsChanged)
        }
    }

    @Test("disabling a user stops their answers, visible to the others, and no other answers")
    func answers() async throws {
        try await withTwo { first, second in
            let ann = try await first.node.addUser()
            let bob = try await first.node.addUser("bob")
            let conversation = try await first.node.makeConversation(by: ann)
            let add = MemberAddRequest(conversation: conversation, user: "bob")
            _ = try await first.node.store.conversations.addMember(add, by: ann.id)
            let listener = EventListener(first.node.loop)
            try await listener.watch(conversation, of: ann, on: second.node)
            let kept = try await first.node.ask("Who are you?", in: conversation, by: ann)
            let stopped = try await first.node.ask("Tell me a story.", in: conversation, by: bob)
            try await first.accounts.disable(bob.id, by: .terminal)
            try await listener.wait(until: { $0.endedMessage == stopped })
            let message = try await first.node.message(stopped, in: conversation, for: ann)
            #expect(message.state == .stopped)
            let other = try await first.node.message(kept, in: conversation, for: ann)
            #expect(other.state == .queued)
        }
    }
}

@Suite("A running answer of a user")
struct GrowingAnswerTests {
    @Test("ends as stopped when the user is disabled, with its text so far")
    func disabled() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let watched = Watched(node)
            let ann = try await node.addUser()
            let bob = try await node.addUser("bob")
            let conversation = try await node.makeConversation(by: ann)
            let add = MemberAddRequest(conversation: conversation, user: "bob")
            _ = try await node.store.conversations.addMember(add, by: ann.id)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: ann, on: node)
            let answer = try await node.ask("Tell me a long story.", in: conversation, by: bob)
            try await listener.wait(until: { $0.delta?.message == answer })
            try await watched.accounts.disable(bob.id, by: .terminal)
            try await listener.wait(until: { $0.endedMessage == answer })
            let message = try await node.message(answer, in: conversation, for: ann)
            // A demo answer is short: it may have been complete when the stop request came.
            #expect(message.state == .stopped || message.state == .complete)
            #expect(!message.text.isEmpty)
            await watched.end()
        }
        withExtendedLifetime(database) {}
    }
}
