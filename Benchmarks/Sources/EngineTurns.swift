// A conversation that is sent whole with each turn, as by a chat server: the time to the first token with
// cached keys and values, and without.

import Checkpoints
import Inference

/// Measures the turns of one conversation; texts are random tokens, the same in each question.
struct EngineTurns {
    /// Tokens of each question and each answer.
    private static let questionCount = 32
    private static let answerCount = 8

    let model: LoadedModel
    let threads: Int
    let turns: Int

    func run() async throws {
        let engine = try TimedEngine(model, slots: 1, threads: threads)
        defer { engine.shutdown() }
        let question = randomTokens(Self.questionCount, seed: 1)
        var prompt: [TokenID] = []
        for turn in 1...turns {
            prompt += question
            let completion = try await engine.answer(
                prompt,
                tokensMax: Self.answerCount,
                scope: "conversation"
            )
            if turn == 2 || turn == turns {
                report("engine_turn_\(turn)_first_token_ms", milliseconds(completion))
                report("engine_turn_\(turn)_cached_tokens", Double(completion.cachedTokens))
            }
            // A stop token is followed by the next question, as in a template.
            if turn < turns { prompt += completion.receipt?.answer.ids ?? [] }
        }
        let completion = try await engine.answer(
            prompt,
            tokensMax: Self.answerCount,
            scope: nil
        )
        report("engine_turn_\(turns)_without_cache_first_token_ms", milliseconds(completion))
    }

    private func milliseconds(_ completion: Completion) -> Double {
        (completion.timeToFirstToken?.inSeconds ?? 0) * 1000
    }
}
