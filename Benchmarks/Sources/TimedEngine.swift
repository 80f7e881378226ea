// An engine with timestamped events, for scenarios of several answers.

import Checkpoints
import Inference

/// The engine of one scenario, and its events.
struct TimedEngine {
    /// The events of one step.
    struct Batch: Sendable {
        let events: [TokenEvent]
        let time: ContinuousClock.Instant
    }

    /// MiB for keys and values, so that no answer of a scenario waits for memory, which is
    /// allocated on use.
    private static let memoryMin = 4096

    /// All events of the engine, in order.
    let batches: AsyncStream<Batch>
    private let engine: Engine

    init(
        _ model: LoadedModel,
        slots: Int,
        threads: Int,
        speculates: Bool = true,
        pages: PageStore? = nil,
        on shared: ComputeThreads? = nil
    ) throws {
        let (batches, continuation) = AsyncStream.makeStream(of: Batch.self)
        self.batches = batches
        engine = try Engine(
            model: model,
            configuration: EngineConfiguration(
                slots: slots,
                threads: threads,
                keyValueMebibytes: max(
                    Self.memoryMin,
                    EngineConfiguration.keyValueMebibytesDefault
                ),
                speculates: speculates
            ),
            threads: shared,
            pages: pages
        ) { continuation.yield(Batch(events: $0, time: .now)) }
    }

    /// Requests an answer of `tokensMax` tokens, sampled by default: the most likely tokens of
    /// random weights repeat themselves, and an engine could speculate on them.
    func submit(
        _ id: UInt64,
        _ prompt: [TokenID],
        tokensMax: Int,
        temperature: Double = 1,
        scope: String? = nil
    ) throws {
        try engine.submit(
            GenerationRequest(
                id: id,
                prompt: prompt,
                sampling: SamplingParameters(temperature: temperature, seed: id),
                maxNewTokens: tokensMax,
                cacheScope: scope
            )
        )
    }

    /// The answer to a prompt, without any other.
    func answer(
        _ prompt: [TokenID],
        tokensMax: Int,
        temperature: Double = 1,
        scope: String?
    ) async throws -> Completion {
        try submit(1, prompt, tokensMax: tokensMax, temperature: temperature, scope: scope)
        for await batch in batches {
            for event in batch.events {
                switch event {
                case .finished(_, let completion): return completion
                case .failed(_, let error): throw error
                case .started, .progress, .text: break
                }
            }
        }
        throw EngineError.shutDown
    }

    /// Cancels running answers.
    func shutdown() { engine.shutdown() }
}

/// The longest time between two tokens of one answer, as reported: a token that is part of a character is
/// reported with the one that completes it.
struct TokenGaps {
    private var latest: [UInt64: ContinuousClock.Instant] = [:]
    /// In seconds.
    private(set) var longest = 0.0

    mutating func emitted(_ id: UInt64, at time: ContinuousClock.Instant) {
        if let before = latest[id] { longest = max(longest, (time - before).inSeconds) }
        latest[id] = time
    }

    mutating func ended(_ id: UInt64) { latest[id] = nil }

    /// Resets the maximum; answers continue.
    mutating func forgetLongest() { longest = 0 }
}

/// Random tokens, the same for the same seed; ordinary ones in all vocabularies of more than a thousand.
func randomTokens(_ count: Int, seed: Int) -> [TokenID] {
    var generator = SplitMix64(seed: UInt64(seed))
    return (0..<count).map { _ in TokenID(100 + generator.next() % 900) }
}
