// Stop requests through the whole server: from the request on the event loop through a simulated engine
// to the start of the next answer, including queue and database.

import ChatProtocol
import EventLoop
import Inference

/// A node whose slots are always full, and stop requests on it.
struct ServerStops {
    /// Milliseconds from the request until the engine's slot was free, as reported in
    /// `message.stopped`.
    private(set) var reported = Sample()
    /// Milliseconds from the request until the engine got the next run.
    private(set) var reuse = Sample()
    /// Duration of an engine step in milliseconds, with all slots decoding.
    let step: Double

    /// Measures `count` stop requests.
    static func measure(_ count: Int, model: LoadedModel, slots: Int) async throws -> ServerStops {
        let database = try BenchmarkDatabase()
        defer { try? database.release() }
        let way = database.configuration
        let configuration = try EngineConfiguration(slots: slots, contextLimit: 2048)
        let cost = SimulatedEngine.Cost()
        return try await EventLoop.run { loop in
            let node = try SimulatedNode(
                loop,
                way,
                model: model,
                configuration: configuration,
                cost: cost
            )
            let step = cost.step + cost.answerToken * slots
            var stops = ServerStops(step: step.inSeconds * 1000)
            try await stops.run(count, on: node, slots: slots)
            await node.end()
            return stops
        }
    }

    private init(step: Double) { self.step = step }

    private mutating func run(_ count: Int, on node: SimulatedNode, slots: Int) async throws {
        var users: [User] = []
        for number in 0..<slots * 2 { users.append(try await node.addUser("user-\(number)")) }
        var conversations: [MessageID: ConversationID] = [:]
        var next = 0
        for _ in 0..<count {
            while conversations.keys.count(where: { node.records[$0]?.endedAt == nil }) < slots * 2
            {
                let user = users[next % users.count]
                next += 1
                let conversation = try await node.conversation(of: user)
                let answer = try await node.ask(
                    "Say 300 words.",
                    in: conversation,
                    by: user,
                    number: 0
                )
                conversations[answer] = conversation
            }
            func growing() -> [MessageID] {
                conversations.keys.filter {
                    node.records[$0]?.startedAt != nil && node.records[$0]?.endedAt == nil
                }
            }
            try await node.wait { growing().count == slots }
            guard let victim = growing().randomElement(), let place = conversations[victim] else {
                continue
            }
            let called = ContinuousClock.now
            try await node.stop(victim, in: place)
            func started() -> ContinuousClock.Instant? {
                conversations.keys.compactMap { node.records[$0]?.startedAt }
                    .filter { $0 > called }.min()
            }
            try await node.wait { node.records[victim]?.endedAt != nil && started() != nil }
            if let milliseconds = node.records[victim]?.stopMilliseconds {
                reported.add(milliseconds)
            }
            if let started = started() { reuse.add((started - called).inSeconds * 1000) }
            conversations[victim] = nil
        }
    }
}
