// The speed of a model's engine by the number of answers, and the memory of its contexts.

import Capacity
import Checkpoints
import Glibc

/// Measures an engine for the plan of a site.
struct SiteEngineMeasurement {
    /// Answers at once.
    static let batches = [1, 2, 4, 8, 16]
    /// Prompt tokens that are read, and tokens of a context whose memory is measured.
    private static let promptCount = 512
    private static let contextCount = 1000

    let folder: String
    let threads: Int
    /// Each figure is the best of so many or more, for ten seconds at least: other work on the machine
    /// only ever adds time.
    let rounds: Int

    func run() throws -> EngineSpeed {
        let passes = try EnginePasses(folder: folder, threads: threads)
        // The first pass reads the file.
        _ = try passes.promptSeconds(tokens: 64)
        var best = Array(repeating: Double.infinity, count: Self.batches.count)
        var prompt = Double.infinity
        let end = ContinuousClock.now + .seconds(10)
        var round = 0
        while round < rounds || ContinuousClock.now < end {
            round += 1
            for (index, count) in Self.batches.enumerated() {
                best[index] = min(best[index], try passes.decodeSeconds(sequences: count))
            }
            prompt = min(prompt, try passes.promptSeconds(tokens: Self.promptCount))
        }
        let steps = Double(EnginePasses.growthCount)
        return EngineSpeed(
            model: folder.split(separator: "/").last.map(String.init) ?? folder,
            batches: zip(Self.batches, best).map { count, seconds in
                .init(answers: count, tokensPerSecond: Double(count) * steps / seconds)
            },
            promptTokensPerSecond: Double(Self.promptCount) / prompt,
            contextTokenMemory: try contextTokenMemory(passes),
            weightMemory: Double(passes.weightByteCount)
        )
    }

    /// How much the process grows when contexts of 1,000 tokens are filled. The first one allocates what
    /// the following ones use again.
    private func contextTokenMemory(_ passes: EnginePasses) throws -> Double {
        let process = Int(getpid())
        var caches = [try passes.filledCache(tokens: Self.contextCount)]
        let before = try ProcessMemory.anonymous(of: process)
        for _ in 0..<8 { caches.append(try passes.filledCache(tokens: Self.contextCount)) }
        let after = try ProcessMemory.anonymous(of: process)
        return withExtendedLifetime(caches) {
            Double(after - before) / Double(8 * Self.contextCount)
        }
    }
}
