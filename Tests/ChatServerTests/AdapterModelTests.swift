// Models that are another one with an adapter, on a node with the demo model.

import ChatProtocol
import ChatServer
import ChatStore
import Dispatch
import EventLoop
import Inference
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("Models with adapters", .timeLimit(.minutes(1)))
struct AdapterModelTests {
    private static let names = ["plain", "one", "two"]

    /// What the pool has read, and the largest number of answers that got text in one step.
    private final class Seen: Sendable {
        private let state = Mutex((folders: [String](), answers: 0))
        private let isHeld = Mutex(false)
        private let release = DispatchSemaphore(value: 0)

        var folders: [String] { state.withLock { $0.folders } }
        var mostAnswers: Int { state.withLock { $0.answers } }

        func load(_ folder: String) throws -> LoadedModel {
            state.withLock { $0.folders.append(folder) }
            if folder == "/models/demo", isHeld.withLock({ $0 }) { release.wait() }
            return try Node.demo.get()
        }

        /// Lets the demo model be read until the returned function is called.
        func hold() -> () -> Void {
            isHeld.withLock { $0 = true }
            return { self.release.signal() }
        }

        func pass(_ events: [TokenEvent]) -> [TokenEvent] {
            let answers = events.compactMap { event in
                if case .text(let id, _, _, _) = event { id } else { nil }
            }
            state.withLock { $0.answers = max($0.answers, Set(answers).count) }
            return events
        }
    }

    private static func administration(_ node: Node) -> ModelAdministration {
        ModelAdministration(
            pool: node.pool,
            store: node.store,
            nodes: node.link,
            loop: node.loop,
            logger: Logger(label: "test")
        )
    }

    private static func wait(
        for name: String,
        on node: Node,
        _ matches: (ModelBoard.State?) -> Bool = {
            if case .ready? = $0 { true } else { false }
        }
    ) async throws {
        while !matches(node.pool.board[name]) { try await node.loop.sleep(for: .milliseconds(1)) }
    }

    private static func isStandby(_ state: ModelBoard.State?) -> Bool {
        if case .standby? = state { true } else { false }
    }

    /// Registers the demo model as `plain`, and two adapters of it.
    /// - Returns: the adapters' folders.
    private static func register(on node: Node) throws -> [TemporaryFolder] {
        let folders = try [3, 4].map { try RandomAdapter.ofDemoModel(seed: $0) }
        node.pool.register("plain", in: "/models/demo")
        for (name, folder) in zip(["one", "two"], folders) {
            node.pool.register(name, adapter: folder.path, of: "plain")
        }
        return folders
    }

    /// Sets a memory limit under which the weights of one model fit, and not those of two.
    private static func limitMemory(of node: Node) {
        node.pool.memory = EnginePool.Memory(
            ModelMemory(limitBytes: 10 << 20, cacheMebibytes: 0)
        ) { _ in
            ModelFootprint(
                weightBytes: 6 << 20,
                bufferBytes: 0,
                cacheBytesMin: 0,
                contextLength: 2048
            )
        }
    }

    private static func ask(_ name: String, on node: Node, _ user: User) async throws -> String {
        let conversation = try await node.makeConversation(by: user, model: name)
        let answer = try await node.say("Who are you?", in: conversation, by: user)
        #expect(answer.state == .complete)
        return answer.text
    }

    @Test("all answer with one engine, each with its own adapter, and any of them may be unloaded")
    func shared() async throws {
        try await withNode { node, root, seen in
            let folders = try Self.register(on: node)
            node.pool.settle()
            for name in Self.names { try await Self.wait(for: name, on: node) }
            #expect(node.pool.board.defaultName == "plain")
            var texts: [String] = []
            for name in Self.names { texts.append(try await Self.ask(name, on: node, root)) }
            #expect(Set(texts).count == 3)
            let engine = try #require(node.allEngines.first)
            let hashes = engine.requests.map { $0.adapter?.identity.hash }
            #expect(hashes.first == .some(nil))
            #expect(Set(hashes).count == 3)

            // The weights stay while one of the names is loaded.
            let administration = Self.administration(node)
            try await administration.unload("one", by: root)
            try await Self.wait(for: "one", on: node) { $0 == .unloaded }
            try await administration.makeDefault("two", by: root)
            try await administration.unload("plain", by: root)
            try await Self.wait(for: "plain", on: node) { $0 == .unloaded }
            #expect(try await Self.ask("two", on: node, root) == texts[2])
            for name in ["one", "plain"] {
                try await administration.load(name, by: root)
                try await Self.wait(for: name, on: node)
            }
            #expect(try await Self.ask("one", on: node, root) == texts[1])
            #expect(node.allEngines.count == 1)
            #expect(seen.folders == ["/models/demo"])
            withExtendedLifetime(folders) {}
        }
    }

    @Test("answers of several names are computed in the same steps, and are as they are alone")
    func together() async throws {
        let gate = Gate()
        try await withNode(gate) { node, root, seen in
            let folders = try Self.register(on: node)
            node.pool.settle()
            for name in Self.names { try await Self.wait(for: name, on: node) }
            let listener = EventListener(node.loop)
            var answers: [(ConversationID, MessageID)] = []
            for name in ["plain", "one"] {
                let conversation = try await node.makeConversation(by: root, model: name)
                try await listener.watch(conversation, of: root, on: node)
                answers.append(
                    (conversation, try await node.ask("Who are you?", in: conversation, by: root))
                )
            }
            // The first one waits after its first text until the second one is there.
            let engine = try #require(node.allEngines.first)
            while engine.requests.count < 2 { try await node.loop.sleep(for: .milliseconds(1)) }
            gate.open()
            var together: [String] = []
            for (conversation, answer) in answers {
                try await listener.wait { $0.endedMessage == answer }
                together.append(try await node.message(answer, in: conversation, for: root).text)
            }
            #expect(seen.mostAnswers == 2)
            #expect(try await Self.ask("plain", on: node, root) == together[0])
            #expect(try await Self.ask("one", on: node, root) == together[1])
            withExtendedLifetime(folders) {}
        }
    }

    @Test("under a memory limit the weights count once, and take all names along")
    func memory() async throws {
        try await withNode { node, root, seen in
            let folders = try Self.register(on: node)
            node.pool.register("other", in: "/models/other")
            Self.limitMemory(of: node)
            node.pool.settle()
            for name in Self.names { try await Self.wait(for: name, on: node) }
            try await Self.wait(for: "other", on: node, Self.isStandby)
            let bytes = try folders.map { try LoadedAdapter.byteCount(folder: $0.path) }
            func taken() -> [String: Int] {
                let taken = node.pool.memory?.models.taken ?? []
                return Dictionary(uniqueKeysWithValues: taken.map { ($0.name, $0.byteCount) })
            }
            #expect(bytes.allSatisfy { $0 > 0 })
            #expect(taken() == ["plain": 6 << 20 + bytes.reduce(0, +)])

            let before = try await Self.ask("one", on: node, root)
            _ = try await Self.ask("other", on: node, root)
            #expect(Self.names.allSatisfy { Self.isStandby(node.pool.board[$0]) })
            #expect(taken() == ["other": 6 << 20])

            // Unloaded meanwhile, a name stays away when a question to another loads the weights.
            let administration = Self.administration(node)
            try await administration.unload("two", by: root)
            #expect(try await Self.ask("one", on: node, root) == before)
            try await Self.wait(for: "plain", on: node)
            #expect(node.pool.board["two"] == .unloaded)
            try await Self.wait(for: "other", on: node, Self.isStandby)
            #expect(node.pool.memory?.models.loadCounts == ["plain": 2, "other": 1])
            #expect(seen.folders == ["/models/demo", "/models/other", "/models/demo"])
            try await administration.load("two", by: root)
            try await Self.wait(for: "two", on: node)
            #expect(node.allEngines.count == 3)
            withExtendedLifetime(folders) {}
        }
    }

    @Test("the weights leave with the last name, and are read again for the first one")
    func last() async throws {
        try await withNode { node, root, seen in
            let folders = try Self.register(on: node)
            node.pool.register("other", in: "/models/other")
            node.pool.settle()
            for name in Self.names + ["other"] { try await Self.wait(for: name, on: node) }
            let administration = Self.administration(node)
            try await administration.makeDefault("other", by: root)
            for name in Self.names { try await administration.unload(name, by: root) }
            for name in Self.names {
                try await Self.wait(for: name, on: node) { $0 == .unloaded }
            }
            try await administration.load("two", by: root)
            try await Self.wait(for: "two", on: node)
            #expect(node.pool.board["plain"] == .unloaded)
            #expect(try await !Self.ask("two", on: node, root).isEmpty)
            #expect(seen.folders == ["/models/demo", "/models/other", "/models/demo"])
            withExtendedLifetime(folders) {}
        }
    }

    @Test("weights that are being read while their model is unloaded are there for its adapters")
    func unloadedMeanwhile() async throws {
        try await withNode { node, root, seen in
            node.pool.register("other", in: "/models/other")
            let folders = try Self.register(on: node)
            let release = seen.hold()
            node.pool.settle()
            while seen.folders.count < 2 { try await node.loop.sleep(for: .milliseconds(1)) }
            let administration = Self.administration(node)
            for name in ["plain", "two"] { try await administration.unload(name, by: root) }
            #expect(node.pool.board["plain"] == .unloading)
            release()
            try await Self.wait(for: "one", on: node)
            for name in ["plain", "two"] { #expect(node.pool.board[name] == .unloaded) }
            #expect(try await !Self.ask("one", on: node, root).isEmpty)
            #expect(node.allEngines.count == 2)
            withExtendedLifetime(folders) {}
        }
    }

    @Test("any order of loading, unloading and questions ends as chosen", arguments: 1...3)
    func anyOrder(seed: Int) async throws {
        try await withNode { node, root, _ in
            let folders = try Self.register(on: node)
            node.pool.register("other", in: "/models/other")
            Self.limitMemory(of: node)
            node.pool.settle()
            let administration = Self.administration(node)
            var random = SeededGenerator(seed: UInt64(seed))
            let names = Self.names + ["other"]
            for _ in 0..<40 {
                guard let name = names.randomElement(using: &random) else { return }
                switch Int.random(in: 0..<5, using: &random) {
                // The default is refused, and so is a default that is not loaded.
                case 0: try? await administration.unload(name, by: root)
                case 1: try? await administration.makeDefault(name, by: root)
                case 2: try await administration.load(name, by: root)
                default:
                    let conversation = try await node.makeConversation(by: root, model: name)
                    _ = try? await node.ask("Who are you?", in: conversation, by: root)
                }
            }
            let board = { node.pool.board }
            for name in names {
                try await Self.wait(for: name, on: node) { state in
                    switch state {
                    case .ready?, .standby?: board().isWanted(name)
                    default: state == .unloaded && !board().isWanted(name)
                    }
                }
            }
            for name in names where board().isWanted(name) {
                #expect(try await !Self.ask(name, on: node, root).isEmpty)
            }
            withExtendedLifetime(folders) {}
        }
    }

    @Test("one that cannot be loaded says why, and the others answer")
    func failure() async throws {
        try await withNode { node, root, _ in
            node.pool.register("plain", in: "/models/demo")
            node.pool.register("broken", adapter: "/nowhere", of: "plain")
            node.pool.settle()
            try await Self.wait(for: "plain", on: node)
            try await Self.wait(for: "broken", on: node) {
                if case .failed(let reason)? = $0 {
                    reason.description.contains("/nowhere has no adapter_config.json")
                } else {
                    false
                }
            }
            #expect(try await !Self.ask("plain", on: node, root).isEmpty)
        }
    }

    @Test("a setting is a folder, and words for the model and the name")
    func settings() throws {
        let adapter = try AdapterSetting("/adapters/pirate of=phi-4 as=phi-4-pirate")
        #expect(adapter.folder == "/adapters/pirate")
        #expect(adapter.base == "phi-4")
        #expect(adapter.name == "phi-4-pirate")
        let short = try AdapterSetting("/adapters/pirate")
        #expect(short.base.isEmpty)
        #expect(short.name == "pirate")
        for wrong in ["", "of=phi-4", "/a as", "/a as=", "/a from=b"] {
            #expect(throws: SettingFault.self) { try AdapterSetting(wrong) }
        }
    }

    private func withNode(
        _ gate: Gate? = nil,
        _ body: @escaping @Sendable (Node, User, Seen) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let seen = Seen()
        try await EventLoop.run { loop in
            let node = try Node(
                loop,
                configuration,
                load: { folder, _ in try seen.load(folder) },
                filter: { seen.pass(gate?.pass($0) ?? $0) }
            )
            do {
                try await body(node, try await node.addUser("root", isAdmin: true), seen)
            } catch {
                await node.end()
                throw error
            }
            await node.end()
        }
        withExtendedLifetime(database) {}
    }
}
