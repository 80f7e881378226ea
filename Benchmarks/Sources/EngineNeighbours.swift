// Two models that answer at the same time: each alone, both on shared threads, and both with threads of
// their own.

import Inference

/// Measures the tokens per second of one answer of each model while both answer.
struct EngineNeighbours {
    private static let questionCount = 32
    private static let warmUp = Duration.seconds(2)
    private static let span = Duration.seconds(12)

    let models: (LoadedModel, LoadedModel)
    let threads: Int

    func run() async throws {
        let alone = try (
            await rate(of: models.0, on: ComputeThreads(count: threads)),
            await rate(of: models.1, on: ComputeThreads(count: threads))
        )
        report("engine_neighbours_alone_first_tokens_per_second", alone.0)
        report("engine_neighbours_alone_second_tokens_per_second", alone.1)
        let shared = ComputeThreads(count: threads)
        try await measure("shared", shared, shared, alone)
        try await measure(
            "separate",
            ComputeThreads(count: threads),
            ComputeThreads(count: threads),
            alone
        )
    }

    private func measure(
        _ name: String,
        _ first: ComputeThreads,
        _ second: ComputeThreads,
        _ alone: (Double, Double)
    ) async throws {
        async let one = rate(of: models.0, on: first)
        async let other = rate(of: models.1, on: second)
        let rates = try await (one, other)
        report("engine_neighbours_\(name)_first_tokens_per_second", rates.0)
        report("engine_neighbours_\(name)_second_tokens_per_second", rates.1)
        // Of the speed alone: 1 together if nothing is lost.
        report("engine_neighbours_\(name)_first_share", rates.0 / alone.0)
        report("engine_neighbours_\(name)_second_share", rates.1 / alone.1)
        report("engine_neighbours_\(name)_sum", rates.0 / alone.0 + rates.1 / alone.1)
    }

    /// Tokens per second of an answer that lasts longer than it is measured.
    private func rate(of model: LoadedModel, on threads: ComputeThreads) async throws -> Double {
        let engine = try TimedEngine(model, slots: 1, threads: threads.count, on: threads)
        defer { engine.shutdown() }
        let prompt = randomTokens(Self.questionCount, seed: 1)
        try engine.submit(1, prompt, tokensMax: .max)
        var (count, begin) = (0, nil as ContinuousClock.Instant?)
        let start = ContinuousClock.now
        for await batch in engine.batches where batch.time - start > Self.warmUp {
            guard let begin else {
                begin = batch.time
                continue
            }
            for case .text(_, _, let tokens, _) in batch.events { count += tokens.count }
            let seconds = (batch.time - begin).inSeconds
            if batch.time - begin > Self.span { return Double(count) / seconds }
        }
        throw EngineError.shutDown
    }
}
