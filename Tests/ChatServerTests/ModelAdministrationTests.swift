// Models that administrators load and unload, and the default one, on a node with the demo model.

import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Inference
import Logging
import Postgres
import TestSupport
import Testing

@Suite("Loading and unloading models", .timeLimit(.minutes(1)))
struct ModelAdministrationTests {
    private static func administration(_ node: Node) -> ModelAdministration {
        ModelAdministration(
            pool: node.pool,
            store: node.store,
            nodes: node.link,
            loop: node.loop,
            logger: Logger(label: "test")
        )
    }

    /// Waits until a model has a state here.
    private static func wait(
        for name: String,
        on node: Node,
        _ matches: (ModelBoard.State?) -> Bool
    ) async throws {
        while !matches(node.pool.board[name]) { try await node.loop.sleep(for: .milliseconds(1)) }
    }

    private static func isReady(_ state: ModelBoard.State?) -> Bool {
        if case .ready? = state { true } else { false }
    }

    @Test("a running answer is finished first; later ones come from the default, until it is back")
    func unload() async throws {
        let gate = Gate()
        try await withNode(filter: { gate.pass($0) }) { node, root in
            let administration = Self.administration(node)
            let conversation = try await node.makeConversation(by: root, model: "second")
            let listener = EventListener(node.loop)
            try await listener.watch(conversation, of: root, on: node)
            let answer = try await node.ask("Hello!", in: conversation, by: root)
            try await listener.wait { $0.delta != nil }

            try await administration.unload("second", by: root)
            #expect(node.pool.board["second"] == .unloading)
            #expect(node.pool.board.choosable == ["demo"])
            gate.open()
            try await listener.wait { $0.endedMessage == answer }
            let message = try await node.message(answer, in: conversation, for: root)
            #expect(message.state == .complete)
            try await Self.wait(for: "second", on: node) { $0 == .unloaded }

            let later = try await node.say("And now?", in: conversation, by: root)
            #expect(later.state == .complete)
            #expect(node.allEngines.map(\.prompts.count) == [1, 1])

            try await administration.load("second", by: root)
            try await Self.wait(for: "second", on: node, Self.isReady)
            #expect(try await node.say("Again?", in: conversation, by: root).state == .complete)
            #expect(node.allEngines.map(\.prompts.count) == [1, 1, 1])
            let audit = try await node.store.audit.entries(
                AuditListRequest(action: "model"),
                limit: 9
            )
            #expect(audit.entries.map(\.action) == ["model.loaded", "model.unloaded"])
            #expect(audit.entries.map(\.object) == ["second", "second"])
        }
    }

    @Test("a model that is loaded again before its answers have ended keeps its engine")
    func keep() async throws {
        let gate = Gate()
        try await withNode(filter: { gate.pass($0) }) { node, root in
            let administration = Self.administration(node)
            let conversation = try await node.makeConversation(by: root, model: "second")
            let listener = EventListener(node.loop)
            try await listener.watch(conversation, of: root, on: node)
            let answer = try await node.ask("Hello!", in: conversation, by: root)
            try await listener.wait { $0.delta != nil }
            try await administration.unload("second", by: root)
            try await administration.load("second", by: root)
            #expect(Self.isReady(node.pool.board["second"]))
            gate.open()
            try await listener.wait { $0.endedMessage == answer }
            #expect(Self.isReady(node.pool.board["second"]))
            #expect(node.allEngines.count == 2)
        }
    }

    @Test("the default stays loaded, and only a loaded model becomes the default")
    func refusals() async throws {
        try await withNode { node, root in
            let administration = Self.administration(node)
            func code(_ body: () async throws -> Void) async -> ErrorCode? {
                do { try await body() } catch { return (error as? WireError)?.code }
                return nil
            }
            #expect(await code { try await administration.unload("demo", by: root) } == .conflict)
            for name in ["third", ""] {
                #expect(await code { try await administration.load(name, by: root) } == .notFound)
                #expect(
                    await code { try await administration.makeDefault(name, by: root) } == .notFound
                )
            }
            try await administration.unload("second", by: root)
            #expect(
                await code { try await administration.makeDefault("second", by: root) } == .conflict
            )
            try await administration.load("second", by: root)
            try await Self.wait(for: "second", on: node, Self.isReady)
            try await administration.makeDefault("second", by: root)
            #expect(node.pool.board.defaultName == "second")
            #expect(await code { try await administration.unload("second", by: root) } == .conflict)
            // The former default can go, and comes back with its role.
            try await administration.unload("demo", by: root)
            try await Self.wait(for: "demo", on: node) { $0 == .unloaded }
        }
    }

    @Test("choices count for all nodes, and for the next start")
    func otherNodes() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (first, second) = try Node.two(loop, configuration)
            do {
                try await choose(on: first, second)
                let next = try Node(loop, configuration)
                next.pool.choose(try await next.store.models.choices())
                for name in ["demo", "second"] { next.pool.register(name, in: "/models/\(name)") }
                next.pool.settle()
                try await Self.wait(for: "second", on: next, Self.isReady)
                #expect(next.pool.board["demo"] == .unloaded)
                await next.end()
            } catch {
                for node in [second, first] { await node.end() }
                throw error
            }
            for node in [second, first] { await node.end() }
        }
        withExtendedLifetime(database) {}
    }

    /// Makes `second` the default and unloads `demo` on the first node; waits until the second node
    /// does the same.
    private func choose(on first: Node, _ second: Node) async throws {
        for node in [first, second] {
            for name in ["demo", "second"] { node.pool.register(name, in: "/models/\(name)") }
            node.pool.settle()
            try await Self.wait(for: "second", on: node, Self.isReady)
        }
        let administrations = [first, second].map(Self.administration)
        for each in administrations { each.start() }
        while !first.link.bus.hasOthers || !second.link.bus.isHearing {
            try await first.loop.sleep(for: .milliseconds(1))
        }
        let root = try await first.addUser("root", isAdmin: true)
        try await administrations[0].makeDefault("second", by: root)
        try await administrations[0].unload("demo", by: root)
        try await Self.wait(for: "demo", on: second) { $0 != nil && !Self.isReady($0) }
        #expect(second.pool.board.defaultName == "second")
        withExtendedLifetime(administrations) {}
    }

    /// Runs a test on a node with the models `demo`, the default, and `second`.
    private func withNode(
        filter: @escaping @Sendable ([TokenEvent]) -> [TokenEvent] = { $0 },
        _ body: @escaping @Sendable (Node, User) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration, filter: filter)
            do {
                for name in ["demo", "second"] {
                    node.pool.load(name, from: "/models/\(name)")
                    try await Self.wait(for: name, on: node, Self.isReady)
                }
                try await body(node, try await node.addUser("root", isAdmin: true))
            } catch {
                await node.end()
                throw error
            }
            await node.end()
        }
        withExtendedLifetime(database) {}
    }
}
