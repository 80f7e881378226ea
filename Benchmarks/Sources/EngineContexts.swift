// Decoding after a long context: what attention to all cached keys and values costs, compared with
// memory bandwidth. The cache is filled with copies of two pages, since reading so many tokens takes
// minutes; its numbers do not change the work.

import Checkpoints
import PhiModel

/// Measures one sequence with long contexts, its keys and values in 16 and in 8 bits.
struct EngineContexts {
    private static let contextCounts = [4096, 16_384, 32_768]
    private static let growthCount = 8
    private static let runCount = 3

    let model: PhiModel
    let threads: Int

    func run() throws {
        print("engine_kernels", model.kernelName)
        print("engine_threads", threads)
        let bandwidth = MemorySpeed(threads: threads)?.fastest() ?? 0
        report("engine_read_fastest_gigabytes_per_second", bandwidth / 1e9)
        for bits in KeyValueBits.allCases {
            let model = model.keeping(bits)
            let session = model.makeSession(threadCount: threads)
            let alone = try tokenSeconds(model, session, context: KeyValuePool.pagePositions)
            for count in Self.contextCounts where count < model.contextLength {
                let seconds = try tokenSeconds(model, session, context: count)
                let name = "engine_context_\(count)_kv\(bits.rawValue)"
                report("\(name)_tokens_per_second", 1 / seconds)
                let speed = Double(count * model.cacheByteCountPerPosition) / (seconds - alone)
                report("\(name)_gigabytes_per_second", speed / 1e9)
                if bandwidth > 0 { report("\(name)_share_of_read", speed / bandwidth) }
            }
        }
    }

    /// Seconds for a token after `count` others, the least of some runs.
    private func tokenSeconds(
        _ model: PhiModel,
        _ session: PhiSession,
        context count: Int
    ) throws -> Double {
        let capacity = count + Self.growthCount
        let pool = try model.makePool(
            pageCount: KeyValuePool.pageCount(positions: capacity) + 2
        )
        let factors = model.ropeFactors(forLength: capacity)
        let cache = model.makeCache(capacity: capacity, ropeFactors: factors, pool: pool)
        let tokens = (0..<min(count, 2 * KeyValuePool.pagePositions)).map { index in
            TokenID((index + 1) * 7919 % model.vocabularyCount)
        }
        _ = try session.forward([SequenceStep(tokens: tokens, cache: cache, wantsLogits: false)])
        let filled = Array(cache.filledPages)
        let copies = (filled.count..<KeyValuePool.pageCount(positions: count)).compactMap { index in
            pool.makePage(copying: filled[index % filled.count].bytes)
        }
        cache.share(filled + copies, count: count, ropeFactors: factors)
        var least = Double.infinity
        for _ in 0..<Self.runCount {
            let start = ContinuousClock.now
            for token in 0..<TokenID(Self.growthCount) {
                _ = try session.forward([
                    SequenceStep(tokens: [token], cache: cache, wantsLogits: true)
                ])
            }
            let seconds = (ContinuousClock.now - start).inSeconds
            least = min(least, seconds / Double(Self.growthCount))
            cache.truncate(to: count)
        }
        return least
    }
}
