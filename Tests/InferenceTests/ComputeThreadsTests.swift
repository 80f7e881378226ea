// Engines that share their compute threads.

import Checkpoints
import Inference
import PhiModel
import Synchronization
import TestSupport
import Testing

@Suite("Engines on shared compute threads", .timeLimit(.minutes(2)))
struct ComputeThreadsTests {
    private let model: LoadedModel

    init() throws {
        model = try DemoModel.load()
    }

    /// A request whose answer does not end before its length.
    private func request(_ id: UInt64, tokens: Int) throws -> GenerationRequest {
        let ends = model.model.configuration.stopTokens.map { TokenBias(token: $0, bias: -100) }
        return model.request(
            id,
            "Count to a thousand.",
            sampling: try SamplingParameters(temperature: 0.7, logitBias: ends, seed: id),
            maxNewTokens: tokens
        )
    }

    private func answer(
        to request: GenerationRequest,
        on threads: ComputeThreads
    ) async throws -> String {
        let log = EventLog()
        let engine = try Engine(model: model, threads: threads, sink: log.sink)
        try engine.submit(request)
        let text = await log.answer().text
        engine.shutdown()
        return text
    }

    @Test("two that answer at once have equal time, and answer as each does alone")
    func shares() async throws {
        let threads = ComputeThreads(count: 2)
        let (long, short) = (try request(1, tokens: 1500), try request(2, tokens: 500))
        let alone = (
            try await answer(to: long, on: threads), try await answer(to: short, on: threads)
        )
        let logs = (EventLog(), EventLog())
        let first = try Engine(model: model, threads: threads, sink: logs.0.sink)
        let times = Mutex<[(Duration, Duration)]>([])
        let second = EngineReference()
        let other = try Engine(model: model, threads: threads) { batch in
            for event in batch {
                switch event {
                case .started, .finished:
                    second.use { engine in
                        times.withLock { $0.append((first.computeTime, engine.computeTime)) }
                    }
                case .text, .progress, .failed: break
                }
            }
            logs.1.sink(batch)
        }
        second.set(other)
        try first.submit(long)
        try other.submit(short)
        let texts = (await logs.0.answer().text, await logs.1.answer().text)
        #expect(texts == alone)
        let spans = times.withLock { $0 }
        let start = try #require(spans.first)
        let end = try #require(spans.last)
        let share = (end.0 - start.0) / (end.1 - start.1)
        // Each can be ahead by a turn, of which there were hundreds.
        #expect((0.8...1.25).contains(share), "\(share)")
    }

    @Test("their number changes while answers run, which stay the same")
    func resize() async throws {
        let request = try request(3, tokens: 300)
        let alone = try await answer(to: request, on: ComputeThreads(count: 1))
        let threads = ComputeThreads(count: 1)
        let counts = Mutex(0)
        let log = EventLog()
        let engine = try Engine(model: model, threads: threads) { batch in
            let count = counts.withLock { count in
                count += 1
                return count
            }
            threads.resize(to: [1, 4, 2, 3][count % 4])
            log.sink(batch)
        }
        try engine.submit(request)
        #expect(await log.answer().text == alone)
        #expect(counts.withLock { $0 } > 10)
    }

    @Test("one that ends, or is removed, leaves the turn to the others")
    func leaving() async throws {
        let threads = ComputeThreads(count: 2)
        for id in UInt64(10)..<14 {
            let ended = try Engine(model: model, threads: threads) { _ in }
            try ended.submit(try request(1, tokens: 1000))
            let log = EventLog()
            let engine = try Engine(model: model, threads: threads, sink: log.sink)
            try engine.submit(try request(id, tokens: 20))
            ended.shutdown()
            #expect(await log.answer().finish == .length)
        }
    }
}
