// Models that load while their server runs.

import ChatProtocol
import ChatServer
import Dispatch
import EventLoop
import Inference
import Synchronization
import TestSupport
import Testing

/// A loader that the test controls.
private final class HeldLoader: Sendable {
    private enum Step: Sendable { case progress(Double), end(Result<LoadedModel, LoadError>) }

    private struct LoadError: Error, CustomStringConvertible { let description: String }

    private let steps = Mutex<[Step]>([])
    private let hasSteps = DispatchSemaphore(value: 0)

    /// Blocks the loading thread until the test continues it.
    func load(_ folder: String, _ progress: (Double) -> Void) throws -> LoadedModel {
        while true {
            hasSteps.wait()
            switch steps.withLock({ $0.removeFirst() }) {
            case .progress(let share): progress(share)
            case .end(let result): return try result.get()
            }
        }
    }

    func tell(_ share: Double) { add(.progress(share)) }
    func succeed() { add(.end(Node.demo.mapError { LoadError(description: "\($0)") })) }
    func fail(_ reason: String) { add(.end(.failure(LoadError(description: reason)))) }

    private func add(_ step: Step) {
        steps.withLock { $0.append(step) }
        hasSteps.signal()
    }
}

@Suite("Models that load while the server runs", .timeLimit(.minutes(1)))
struct LoadingTests {
    @Test("a question is queued meanwhile, gets the loading progress, and is answered")
    func question() async throws {
        try await withNode { node, loader in
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user, model: "slow")
            let listener = EventListener(node.loop)
            node.hub.connect(listener, of: user)
            defer { node.hub.disconnect(listener, of: user.id, watching: [conversation]) }
            try await listener.watch(conversation, of: user, on: node)

            node.pool.load("slow", from: "/models/slow")
            let answer = try await node.ask("Hello!", in: conversation, by: user)
            try await listener.wait { $0.awaitedModel?.state == .loading }
            loader.tell(0.4)
            try await listener.wait { $0.changedModel?.progress == 0.4 }
            try await listener.wait { $0.awaitedModel?.progress == 0.4 }
            let waiting = try await node.message(answer, in: conversation, for: user)
            #expect(waiting.state == .queued)

            loader.succeed()
            try await listener.wait { $0.changedModel?.state == .ready }
            try await listener.wait { $0.endedMessage == answer }
            let message = try await node.message(answer, in: conversation, for: user)
            #expect(message.state == .complete)
            #expect(!message.text.isEmpty)
        }
    }

    @Test("a model that fails to load is reported with the reason, and the others still answer")
    func failure() async throws {
        try await withNode { node, loader in
            try node.pool.add(try Node.demo.get(), as: "demo")
            let ann = try await node.addUser("ann")
            let root = try await node.addUser("root", isAdmin: true)
            let listeners = (EventListener(node.loop), EventListener(node.loop))
            node.hub.connect(listeners.0, of: ann)
            node.hub.connect(listeners.1, of: root)
            let broken = try await node.makeConversation(by: ann, model: "broken")
            let good = try await node.makeConversation(by: ann, model: "demo")

            node.pool.load("broken", from: "/models/broken")
            let early = try await node.ask("Hello!", in: broken, by: ann)
            // Answers that wait for one model delay no others.
            #expect(try await node.say("Hello!", in: good, by: ann).state == .complete)
            #expect(try await node.message(early, in: broken, for: ann).state == .queued)

            try await listeners.0.watch(broken, of: ann, on: node)
            loader.fail("/models/broken has no tokenizer.json: pull the model again")
            try await listeners.0.wait { $0.endedMessage == early }
            let failed = try await node.message(early, in: broken, for: ann)
            #expect(failed.state == .failed)
            #expect(failed.error?.code == .engineFailed)
            #expect(failed.error?.message.contains("broken") == true)
            let told = listeners.0.events.compactMap(\.changedModel?.reason)
            #expect(told == [], "a path of the server went to a user")
            try await listeners.1.wait { $0.changedModel?.reason?.contains("again") == true }

            let late = try await node.say("And now?", in: broken, by: ann)
            #expect(late.state == .failed)
            #expect(try await node.say("Hello!", in: good, by: ann).state == .complete)
        }
    }

    @Test("models are loaded one after the other, and each answers when it is ready")
    func several() async throws {
        try await withNode { node, loader in
            let user = try await node.addUser()
            let listener = EventListener(node.loop)
            node.hub.connect(listener, of: user)
            for name in ["one", "two"] { node.pool.load(name, from: "/models/\(name)") }
            let second = try await node.makeConversation(by: user, model: "two")
            loader.succeed()
            try await listener.wait { $0.changedModel?.name == "one" && $0.isReady }
            #expect(node.pool.board["two"] == .loading(0))
            loader.succeed()
            try await listener.wait { $0.changedModel?.name == "two" && $0.isReady }
            #expect(try await node.say("Hello!", in: second, by: user).state == .complete)
            #expect(node.allEngines.map(\.prompts.count) == [0, 1])
        }
    }

    /// Runs a test on a node whose loader the test controls.
    private func withNode(
        _ body: @escaping @Sendable (Node, HeldLoader) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let loader = HeldLoader()
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration, load: { try loader.load($0, $1) })
            do { try await body(node, loader) } catch {
                await node.end()
                throw error
            }
            await node.end()
        }
        withExtendedLifetime(database) {}
    }
}
