// A conversation that is sent whole with each turn, as a chat server sends it: how long the first token
// takes when what was read before is still there, and when it is not.

import Checkpoints
import Inference

/// Measures turns of one conversation; texts are of random tokens.
struct EngineTurns {
    /// Tokens of each question and each answer.
    private static let questionCount = 32
    private static let answerCount = 8

    let model: LoadedModel
    let threads: Int
    let turns: Int

    func run() async throws {
        let (batches, continuation) = AsyncStream.makeStream(of: [TokenEvent].self)
        let engine = try Engine(
            model: model,
            configuration: EngineConfiguration(slots: 1, threads: threads)
        ) { continuation.yield($0) }

        /// The completion of one request.
        func answer(_ prompt: [TokenID], scope: String?) async throws -> Completion? {
            try engine.submit(
                GenerationRequest(
                    id: 1,
                    prompt: prompt,
                    maxNewTokens: Self.answerCount,
                    cacheScope: scope
                )
            )
            for await batch in batches {
                for case .finished(_, let completion) in batch { return completion }
            }
            return nil
        }

        var prompt: [TokenID] = []
        for turn in 1...turns {
            prompt += question(turn)
            guard let completion = try await answer(prompt, scope: "conversation") else { return }
            if turn == 2 || turn == turns {
                report("turn_\(turn)_first_token_ms", milliseconds(completion))
                report("turn_\(turn)_cached_tokens", Double(completion.cachedTokens))
            }
            // A token that ended the turn is followed by the next question, as in a template.
            if turn < turns { prompt += completion.receipt?.answer.ids ?? [] }
        }
        guard let completion = try await answer(prompt, scope: nil) else { return }
        report("turn_\(turns)_without_cache_first_token_ms", milliseconds(completion))
        engine.shutdown()
    }

    private func question(_ turn: Int) -> [TokenID] {
        (0..<Self.questionCount).map { index in
            TokenID(1 + (index + turn * Self.questionCount) * 7919 % 1000)
        }
    }

    private func milliseconds(_ completion: Completion) -> Double {
        (completion.timeToFirstToken?.inSeconds ?? 0) * 1000
    }
}
