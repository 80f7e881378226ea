// Models that are another one with an adapter, on a node with the demo model.

import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Inference
import Logging
import TestSupport
import Testing

@Suite("Models with adapters", .timeLimit(.minutes(1)))
struct AdapterModelTests {
    private static func wait(
        for name: String,
        on node: Node,
        _ matches: (ModelBoard.State?) -> Bool = {
            if case .ready? = $0 { true } else { false }
        }
    ) async throws {
        while !matches(node.pool.board[name]) { try await node.loop.sleep(for: .milliseconds(1)) }
    }

    @Test("all answer with one engine, each with its own adapter, and any of them may be unloaded")
    func shared() async throws {
        let folders = try [3, 4].map { try RandomAdapter.ofDemoModel(seed: $0) }
        try await withNode { node, root in
            node.pool.register("plain", in: "/models/demo")
            for (name, folder) in zip(["one", "two"], folders) {
                node.pool.register(name, in: "/models/demo", adapter: folder.path)
            }
            node.pool.settle()
            for name in ["plain", "one", "two"] { try await Self.wait(for: name, on: node) }
            #expect(node.allEngines.count == 1)
            #expect(node.pool.board.defaultName == "plain")
            var texts: [String] = []
            for name in ["plain", "one", "two"] {
                let conversation = try await node.makeConversation(by: root, model: name)
                let answer = try await node.say("Who are you?", in: conversation, by: root)
                #expect(answer.state == .complete)
                texts.append(answer.text)
            }
            #expect(Set(texts).count == 3)
            let engine = try #require(node.allEngines.first)
            let hashes = engine.requests.map { $0.adapter?.identity.hash }
            #expect(hashes.first == .some(nil))
            #expect(Set(hashes).count == 3)

            // The weights stay while one of the names is loaded.
            let administration = ModelAdministration(
                pool: node.pool,
                store: node.store,
                nodes: node.link,
                loop: node.loop,
                logger: Logger(label: "test")
            )
            try await administration.unload("one", by: root)
            try await Self.wait(for: "one", on: node) { $0 == .unloaded }
            try await administration.makeDefault("two", by: root)
            try await administration.unload("plain", by: root)
            try await Self.wait(for: "plain", on: node) { $0 == .unloaded }
            let conversation = try await node.makeConversation(by: root, model: "two")
            let again = try await node.say("Who are you?", in: conversation, by: root)
            #expect(again.text == texts[2])
            try await administration.load("one", by: root)
            try await Self.wait(for: "one", on: node)
            #expect(node.allEngines.count == 1)
        }
    }

    @Test("one that cannot be loaded says why, and the others answer")
    func failure() async throws {
        try await withNode { node, root in
            node.pool.register("plain", in: "/models/demo")
            node.pool.register("broken", in: "/models/demo", adapter: "/nowhere")
            node.pool.settle()
            try await Self.wait(for: "plain", on: node)
            try await Self.wait(for: "broken", on: node) {
                if case .failed(let reason)? = $0 {
                    reason.description.contains("/nowhere has no adapter_config.json")
                } else {
                    false
                }
            }
            let conversation = try await node.makeConversation(by: root, model: "plain")
            let answer = try await node.say("Who are you?", in: conversation, by: root)
            #expect(answer.state == .complete)
        }
    }

    @Test("a setting is a folder, and words for the model and the name")
    func settings() throws {
        let adapter = try AdapterSetting("/adapters/pirate of=phi-4 as=phi-4-pirate")
        #expect(adapter.folder == "/adapters/pirate")
        #expect(adapter.base == "phi-4")
        #expect(adapter.name == "phi-4-pirate")
        #expect(try AdapterSetting("pirate").base.isEmpty)
        for wrong in ["", "of=phi-4", "/a as", "/a as=", "/a from=b"] {
            #expect(throws: SettingFault.self) { try AdapterSetting(wrong) }
        }
    }

    private func withNode(
        _ body: @escaping @Sendable (Node, User) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            do {
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
