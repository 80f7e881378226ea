// Models that administrators download through a server, from a hub on loopback.

import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite("Model downloads by administrators", .timeLimit(.minutes(1)))
struct ModelPullsTests {
    /// The objects of a test.
    private struct Scene {
        let node: Node
        let pulls: ModelPulls
        let hub: DemoHub
        let admin: User
        let adminEvents: EventListener
        let userEvents: EventListener
        let configuration: PostgresConfiguration
        /// Creates the downloads of a node, into the scene's cache.
        let makePulls: (Node) -> ModelPulls
    }

    @Test("a pull reports its progress, and its model answers without a restart")
    func pull() async throws {
        try await withScene { scene in
            scene.hub.hold()
            let name = try await scene.pulls.pull(
                DemoHub.model,
                revision: "main",
                by: scene.admin.id
            )
            #expect(name == DemoHub.model)
            // Repeating the request changes nothing; another model must wait.
            let again = try await scene.pulls.pull(name, revision: "main", by: scene.admin.id)
            #expect(again == name)
            await #expect {
                try await scene.pulls.pull("a/b", revision: "main", by: scene.admin.id)
            } throws: { ($0 as? WireError)?.code == .busy }
            try await scene.adminEvents.wait { event in
                guard let fetch = event.changedModel?.fetch else { return false }
                return fetch.doneBytes > 0 && fetch.doneBytes < fetch.totalBytes
            }
            try await scene.userEvents.wait { ($0.changedModel?.progress ?? 0) > 0 }
            #expect(scene.userEvents.events.allSatisfy { $0.changedModel?.fetch == nil })
            #expect(try await scene.node.store.models.list().map(\.isFetched) == [false])

            scene.hub.release()
            try await scene.userEvents.wait { $0.isReady }
            #expect(try await scene.node.store.models.list().map(\.isFetched) == [true])
            let conversation = try await scene.node.makeConversation(by: scene.admin, model: name)
            let answer = try await scene.node.say("Hello!", in: conversation, by: scene.admin)
            #expect(answer.state == .complete)
            await #expect {
                try await scene.pulls.pull(name, revision: "main", by: scene.admin.id)
            } throws: { ($0 as? WireError)?.code == .conflict }
        }
    }

    @Test("a cancelled pull is removed, and the next one resumes where it ended")
    func cancel() async throws {
        try await withScene { scene in
            scene.hub.hold()
            let name = try await scene.pulls.pull(
                DemoHub.model,
                revision: "main",
                by: scene.admin.id
            )
            try await scene.userEvents.wait { ($0.changedModel?.progress ?? 0) > 0 }
            try await scene.pulls.cancel(name)
            #expect(try await scene.node.store.models.list() == [])
            try await scene.userEvents.wait { event in
                if case .modelRemoved(let removed) = event { removed.name == name } else { false }
            }
            await #expect { try await scene.pulls.cancel(name) } throws: {
                ($0 as? WireError)?.code == .notFound
            }
            scene.hub.release()
            _ = try await scene.pulls.pull(name, revision: "main", by: scene.admin.id)
            try await scene.userEvents.wait { $0.isReady }
        }
    }

    @Test("a failed pull is reported to administrators with the reason, and can be dismissed")
    func failure() async throws {
        try await withScene { scene in
            _ = try await scene.pulls.pull("org/none", revision: "main", by: scene.admin.id)
            try await scene.adminEvents.wait { $0.changedModel?.state == .failed }
            let reason = scene.adminEvents.events.compactMap(\.changedModel?.reason).last
            #expect(reason?.contains("org/none") == true)
            try await scene.userEvents.wait { $0.changedModel?.state == .failed }
            #expect(scene.userEvents.events.allSatisfy { $0.changedModel?.reason == nil })
            #expect(try await scene.node.store.models.list() == [])
            try await scene.pulls.cancel("org/none")
            #expect(scene.node.pool.board["org/none"] == nil)
            await #expect {
                try await scene.pulls.pull("no name", revision: "main", by: scene.admin.id)
            } throws: { ($0 as? WireError)?.code == .badRequest }
        }
    }

    @Test("what a model needs is estimated from its files on the hub, or the reason is given")
    func estimate() async throws {
        try await withScene { scene in
            let (name, result) = try await scene.pulls.estimate(DemoHub.model, revision: "main")
            #expect(name == DemoHub.model)
            let estimate = try result.get()
            let file = "Sources/BundledFiles/demo-model/model.safetensors"
            let weights = try Data(contentsOf: URL(filePath: "\(SharedFiles.packageRoot)/\(file)"))
            // Keys and values of 4 layers and 8 heads of 32 numbers of 16 bits, for 4,000 tokens.
            let cacheBytes = 4000 * 2 * 4 * 8 * 32 * 2
            #expect(estimate.memoryBytes == Int64(weights.count + cacheBytes))
            #expect(estimate.downloadBytes > Int64(weights.count))
            #expect(scene.hub.weightRequestCount == 0)

            let unknown = try await scene.pulls.estimate("org/none", revision: "main").result
            guard case .failure(let reason) = unknown else {
                Issue.record("an estimate of a model that does not exist")
                return
            }
            #expect(reason.description.contains("org/none"))
        }
    }

    @Test("a restarted server resumes a pull, and offers its models at each start")
    func restart() async throws {
        try await withScene { scene in
            // What the previous process had acknowledged, and no more.
            try await scene.node.store.models.add(
                DemoHub.model,
                revision: "main",
                by: scene.admin.id
            )
            try await scene.pulls.resume(mayFetch: false)
            #expect(scene.node.pool.board[DemoHub.model] == nil)
            try await scene.pulls.resume(mayFetch: true)
            try await scene.userEvents.wait { $0.isReady }

            let count = scene.hub.weightRequestCount
            let next = try Node(scene.node.loop, scene.configuration)
            let events = EventListener(next.loop)
            next.hub.connect(events, of: scene.admin)
            try await scene.makePulls(next).resume(mayFetch: true)
            try await events.wait { $0.isReady }
            await next.end()
            #expect(scene.hub.weightRequestCount == count, "it was fetched again")
        }
    }

    /// Runs a test with a node, a hub, and connections of an administrator and of another user.
    private func withScene(
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let cache = try TemporaryFolder()
        let hub = try DemoHub()
        try await EventLoop.run { loop in
            let workers = try WorkerPool(name: "test", threads: 1, queueLimit: 8)
            let node = try Node.withDemo(loop, configuration)
            do {
                let admin = try await node.addUser("root", isAdmin: true)
                let user = try await node.addUser("ann")
                let listeners = (EventListener(loop), EventListener(loop))
                node.hub.connect(listeners.0, of: admin)
                node.hub.connect(listeners.1, of: user)
                let make = { (node: Node) in
                    node.makePulls(from: hub, cache: cache, workers: workers)
                }
                try await body(
                    Scene(
                        node: node,
                        pulls: make(node),
                        hub: hub,
                        admin: admin,
                        adminEvents: listeners.0,
                        userEvents: listeners.1,
                        configuration: configuration,
                        makePulls: make
                    )
                )
            } catch {
                await node.end()
                throw error
            }
            await node.end()
        }
        withExtendedLifetime(database) {}
    }
}
