// A long conversation after a restart of its engine: the time to the first token with KV cache pages on
// disk, and without.

import FoundationEssentials
import Inference

/// Measures one conversation before and after a restart; its text is random tokens.
struct EngineRestart {
    private static let promptCount = 2000
    private static let byteLimit = 8 << 30
    /// More than a disk needs for the pages of one conversation.
    private static let writing: Duration = .seconds(20)

    let model: LoadedModel
    let threads: Int

    func run() async throws {
        let base = FileManager.default.temporaryDirectory.path
        let folder = "\(base)/stoa-bench-\(UUID().uuidString)"
        let store = try PageStore(folder: folder, byteLimit: Self.byteLimit) { print($0) }
        defer {
            store.close()
            PageStore.removeFolder(folder) { print($0) }
        }
        let recomputed = try await answer(with: store, thenWait: Self.writing)
        report("engine_restart_recomputed_first_token_ms", milliseconds(recomputed))
        let restored = try await answer(with: store, thenWait: .zero)
        report("engine_restart_from_disk_first_token_ms", milliseconds(restored))
        report("engine_restart_from_disk_cached_tokens", Double(restored.cachedTokens))
    }

    /// The conversation's answer by a new engine.
    private func answer(
        with store: PageStore,
        thenWait pause: Duration
    ) async throws -> Completion {
        let engine = try TimedEngine(model, slots: 1, threads: threads, pages: store)
        defer { engine.shutdown() }
        let prompt = randomTokens(Self.promptCount, seed: 1)
        let completion = try await engine.answer(prompt, tokensMax: 1, scope: "conversation")
        try await Task.sleep(for: pause)
        return completion
    }

    private func milliseconds(_ completion: Completion) -> Double {
        (completion.timeToFirstToken?.inSeconds ?? 0) * 1000
    }
}
