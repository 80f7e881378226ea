import Doubles
import EventLoop
import Inference
import RemoteEngine
import Testing

/// With a clock that stands still no deadline passes, however slow the machine is.
@Suite("Choice of a remote engine")
struct ChoiceTests {
    @Test("a conversation stays with the engine that read it last")
    func warm() async throws {
        let engines = try (0..<3).map { _ in try EngineDouble { _, _ in .stream(["a"]) } }
        let scene = try RemoteScene(engines.map(\.base))
        defer {
            scene.stop()
            for engine in engines { engine.stop() }
        }
        for _ in 0..<4 { _ = try await scene.ask("one") }
        #expect(engines.map(\.requests.count).sorted() == [0, 0, 4])
    }

    @Test("answers without a conversation are spread by load")
    func load() async throws {
        let engines = try (0..<2).map { _ in
            try EngineDouble { _, _ in .stream(["a"], ending: .stall) }
        }
        let scene = try RemoteScene(engines.map(\.base), clock: ManualClock())
        defer {
            scene.stop()
            for engine in engines { engine.stop() }
        }
        var answers: [AsyncStream<TokenEvent>] = []
        for _ in 0..<6 { answers.append(try scene.begin()) }
        for answer in answers {
            // Until its first text, which says that it runs.
            for await event in answer { if case .text = event { break } }
        }
        #expect(engines.map(\.requests.count) == [3, 3])
    }

    @Test("an engine that is busy with other clients gets fewer requests")
    func foreignLoad() async throws {
        let busy = try EngineDouble(
            documents: [
                "/metrics": """
                # TYPE vllm:num_requests_running gauge
                vllm:num_requests_running{model_name="phi"} 12.0
                vllm:num_requests_waiting{model_name="phi"} 8.0
                """
            ]
        ) { _, _ in .stream(["a"]) }
        let idle = try EngineDouble(
            documents: [
                "/metrics": "vllm:num_requests_running 0.0\nvllm:num_requests_waiting 0.0\n"
            ]
        ) { _, _ in .stream(["a"]) }
        let scene = try RemoteScene([busy.base, idle.base], clock: ManualClock())
        defer {
            scene.stop()
            busy.stop()
            idle.stop()
        }
        // The first choice has both asked for their load.
        while scene.statuses.contains(where: { $0.runningThere == nil }) {
            _ = try await scene.ask()
        }
        let before = (busy.requests.count, idle.requests.count)
        for _ in 0..<5 { _ = try await scene.ask() }
        #expect(busy.requests.count == before.0 && idle.requests.count == before.1 + 5)
        #expect(scene.statuses[0].waitingThere == 8)
    }

    @Test("one engine alone is not asked for its load")
    func noChoice() async throws {
        let engine = try EngineDouble { _, _ in .stream(["a"]) }
        let scene = try RemoteScene([engine.base])
        defer {
            scene.stop()
            engine.stop()
        }
        for _ in 0..<3 { _ = try await scene.ask() }
        #expect(engine.readCount(of: "/metrics") == 0)
    }

    @Test("a draining engine gets no requests, a removed one finishes its answers")
    func drain() async throws {
        let old = try EngineDouble { _, _ in .stream(["a"], ending: .stall) }
        let new = try EngineDouble { _, _ in .stream(["b"]) }
        let scene = try RemoteScene([old.base], clock: ManualClock())
        defer {
            scene.stop()
            old.stop()
            new.stop()
        }
        let running = try scene.begin()
        for await event in running { if case .text = event { break } }
        try scene.use([old.base, new.base], draining: [0])
        #expect(try await scene.ask().text == "b")
        #expect(scene.statuses.map(\.state) == [.draining, .available])
        // An answer leaves its engine after its last event.
        while scene.statuses[1].running > 0 { await Task.yield() }
        #expect(scene.statuses[0].running == 1)
        try scene.use([new.base])
        #expect(try await scene.ask().text == "b")
        #expect(scene.statuses.contains { $0.state == .removed && $0.running == 1 })
        #expect(old.requests.count == 1)
    }

    @Test("after a while another engine goes on with the answer of a removed one")
    func removal() async throws {
        let old = try EngineDouble { _, _ in .stream(["a"], ending: .stall) }
        let new = try EngineDouble { _, _ in .stream(["b"]) }
        let clock = ManualClock()
        let scene = try RemoteScene([old.base], clock: clock)
        defer {
            scene.stop()
            old.stop()
            new.stop()
        }
        let running = try scene.begin()
        for await event in running { if case .text = event { break } }
        try scene.use([new.base])
        // It has been removed, and the timer is set.
        while !scene.statuses.contains(where: { $0.state == .removed }) { await Task.yield() }
        #expect(new.requests.isEmpty)
        // Before the deadline for a next token, at which it would count as failed.
        clock.advance(by: .seconds(20))
        let answer = await scene.read(running)
        #expect(answer.text == "b" && answer.error == nil)
        #expect(answer.completion?.remote?.requests == 1)
        #expect(new.requests.count == 1)
        #expect(scene.statuses.map(\.state) == [.available])
    }

    @Test("another engine goes on at once with the answer of a removed one, if it is to")
    func leaving() async throws {
        let old = try EngineDouble { _, _ in .stream(["a"], ending: .stall) }
        let new = try EngineDouble { _, _ in .stream(["b"]) }
        let scene = try RemoteScene([old.base], clock: ManualClock())
        defer {
            scene.stop()
            old.stop()
            new.stop()
        }
        let running = try scene.begin()
        for await event in running { if case .text = event { break } }
        // Its model's last one finishes its answers; one that is not removed keeps them.
        scene.leaveRemoved()
        try scene.use([])
        scene.leaveRemoved()
        #expect(new.requests.isEmpty)
        try scene.use([new.base])
        scene.leaveRemoved()
        let answer = await scene.read(running)
        #expect(answer.text == "b" && answer.error == nil)
        #expect(new.requests.count == 1 && old.requests.count == 1)
    }

    @Test("the context is the smallest that the engines tell")
    func context() async throws {
        let large = try EngineDouble(contextLength: 8192) { _, _ in .stream(["a"]) }
        let small = try EngineDouble(contextLength: 1024) { _, _ in .stream(["a"]) }
        let scene = try RemoteScene([large.base, small.base])
        defer {
            scene.stop()
            large.stop()
            small.stop()
        }
        while scene.statuses.contains(where: { $0.kind == nil }) { _ = try await scene.ask() }
        _ = try await scene.ask()
        #expect(scene.capacity.contextLength == 1024)
    }
}
