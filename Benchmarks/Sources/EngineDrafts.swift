// The maximum benefit of drafts: a repetitive answer, as the most likely tokens of random weights are,
// with drafts and without.

import Inference

/// Measures a single answer with speculation and without.
struct EngineDrafts {
    private static let questionCount = 32
    private static let answerCount = 96

    let model: LoadedModel
    let threads: Int

    func run() async throws {
        let plain = try await answer(speculates: false)
        let drafted = try await answer(speculates: true)
        report("engine_drafts_off_tokens_per_second", plain.tokensPerSecond ?? 0)
        report("engine_drafts_on_tokens_per_second", drafted.tokensPerSecond ?? 0)
        let share = Double(drafted.acceptedTokens) / Double(max(1, drafted.draftedTokens))
        report("engine_drafts_share_right", share)
    }

    private func answer(speculates: Bool) async throws -> Completion {
        let engine = try TimedEngine(model, slots: 1, threads: threads, speculates: speculates)
        defer { engine.shutdown() }
        return try await engine.answer(
            randomTokens(Self.questionCount, seed: 1),
            tokensMax: Self.answerCount,
            temperature: 0,
            scope: nil
        )
    }
}
