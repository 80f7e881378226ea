// Requests that wait for a store that does not respond.

import Dispatch
import Inference
import PhiModel
import TestSupport
import Testing

@Suite("Waiting for the page store", .timeLimit(.minutes(1)))
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

    /// A new engine, and a store with all pages of the request.
    private func coldEngine() async throws -> Engine {
        let engine = try Engine(model: model, pages: store, sink: events.sink)
        try engine.submit(request(1))
        _ = await events.answer()
        engine.shutdown()
        try #require(store.scopes == ["a"])
        return try Engine(model: model, pages: store, sink: events.sink)
    }

    /// Blocks the store's thread until it is released.
    private func holdDisk() -> DispatchSemaphore {
        let resume = DispatchSemaphore(value: 0)
        let nothing = PageSequence(
            scope: "nothing",
            ropeFactors: .plain,
            tokens: [1],
            format: PageFormat(identity: "none", layout: model.model.pageLayout)
        )
        store.find(nothing, beyond: 0) { _ in resume.wait() }
        return resume
    }

    @Test("a waiting request is cancelled at once, and a late reply does not affect the next one")
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

    @Test("shutdown stops a waiting request without waiting for the store")
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

    @Test(
        "a waiting request ends at its deadline",
        arguments: [.zero, .milliseconds(20)] as [Duration]
    )
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

    @Test("a waiting request ends at its deadline while another answer runs")
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

    @Test("a waiting request gets no pages if its conversation is removed meanwhile")
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
