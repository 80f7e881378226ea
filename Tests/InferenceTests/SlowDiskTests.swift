// Requests whose prompts a disk is asked for that does not answer.

import Dispatch
import Inference
import PhiModel
import TestSupport
import Testing

@Suite("A request that waits for the disk", .timeLimit(.minutes(1)))
struct SlowDiskTests {
    private let model: LoadedModel
    private let events = EventLog()
    private let folder: TemporaryFolder
    private let store: PageStore

    init() throws {
        model = try DemoModel.load()
        folder = try TemporaryFolder()
        store = try PageStore(folder: "\(folder.path)/kv", byteLimit: 1 << 30) { _ in }
    }

    private func request(
        _ id: UInt64,
        deadline: ContinuousClock.Instant? = nil
    ) -> GenerationRequest {
        var request = model.request(id, "What is the capital of Finland?", deadline: deadline)
        request.cacheScope = "a"
        return request
    }

    /// An engine that has read nothing, and a disk that has all of the request.
    private func coldEngine() async throws -> Engine {
        let engine = try Engine(model: model, pages: store, sink: events.sink)
        try engine.submit(request(1))
        _ = await events.answer()
        engine.shutdown()
        try #require(store.scopes == ["a"])
        return try Engine(model: model, pages: store, sink: events.sink)
    }

    /// Has the disk's thread do nothing more until it is told to go on.
    private func holdDisk() -> DispatchSemaphore {
        let goesOn = DispatchSemaphore(value: 0)
        let nothing = PageSequence(
            scope: "nothing",
            ropeFactors: .plain,
            tokens: [1],
            format: PageFormat(identity: "none", layout: model.model.pageLayout)
        )
        store.find(nothing, beyond: 0) { _ in goesOn.wait() }
        return goesOn
    }

    @Test("is cancelled at once, and what the disk says later does not harm the next one")
    func cancel() async throws {
        let engine = try await coldEngine()
        let disk = holdDisk()
        try engine.submit(request(2))
        engine.cancel(2)
        let cancelled = await events.answer()
        #expect(cancelled.finish == .stopped)
        #expect(cancelled.events.count == 1)
        #expect(engine.capacity.waiting == 0)

        try engine.submit(request(2))
        disk.signal()
        let answer = await events.answer()
        #expect(answer.completion?.cachedTokens == request(2).prompt.count - 1)
        engine.shutdown()
        store.close()
    }

    @Test("is stopped when the engine goes down, which does not wait for the disk either")
    func shutdown() async throws {
        let engine = try await coldEngine()
        let disk = holdDisk()
        try engine.submit(request(2))
        engine.shutdown()
        let stopped = await events.answer()
        #expect(stopped.finish == .stopped)
        #expect(stopped.events.count == 1)
        disk.signal()
        store.close()
        #expect(store.scopes == ["a"])
    }

    @Test("ends at its deadline", arguments: [.zero, .milliseconds(20)] as [Duration])
    func deadline(time: Duration) async throws {
        let engine = try await coldEngine()
        let disk = holdDisk()
        try engine.submit(request(2, deadline: .now + time))
        let late = await events.answer()
        #expect(late.finish == .deadline)
        #expect(late.events.count == 1)
        disk.signal()
        engine.shutdown()
        store.close()
    }

    @Test("ends at its deadline while another answer grows, too")
    func deadlineBesideOthers() async throws {
        let engine = try await coldEngine()
        let disk = holdDisk()
        let other = model.request(3, "Tell me a long story.", maxNewTokens: 500)
        try engine.submit(other)
        try engine.submit(request(2, deadline: .now))
        let answers = await events.answers(2)
        #expect(answers[2]?.finish == .deadline)
        #expect(answers[3]?.completion != nil)
        disk.signal()
        engine.shutdown()
        store.close()
    }

    @Test("gets nothing of the disk where its conversation is forgotten meanwhile")
    func forgetting() async throws {
        let engine = try await coldEngine()
        let disk = holdDisk()
        try engine.submit(request(2))
        engine.forget(["a"])
        disk.signal()
        #expect(await events.answer().completion?.cachedTokens == 0)
        engine.shutdown()
        store.close()
        #expect(store.scopes.isEmpty)
    }
}
