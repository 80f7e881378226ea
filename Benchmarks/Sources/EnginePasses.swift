// Passes through a model's weights: decoding several sequences at once, and reading a prompt, beside
// what the memory gives. Needs config.json and weights alone, real ones or random ones of a real
// shape (Tools/real-shapes).

import Checkpoints
import PhiModel

/// Measures passes of one model, in short runs.
struct EnginePasses {
    private let model: PhiModel
    private let session: PhiSession
    private let checkpoint: Checkpoint

    init(folder: String, threads: Int) throws {
        checkpoint = try Checkpoint.open(folder)
        model = try PhiModel(checkpoint)
        session = model.makeSession(threadCount: threads, tokenCountMax: 64)
    }

    /// Bytes of weights that each pass reads: all but the embedding, where it is not the head too.
    private var bytesPerPass: Int {
        let tied = model.configuration.tiesEmbeddings
        return checkpoint.tensors.reduce(0) { sum, tensor in
            let isLookedUp = !tied && tensor.key.hasPrefix("model.embed_tokens.")
            return sum + (isLookedUp ? 0 : tensor.value.byteRange.count)
        }
    }

    func run() async throws {
        print("kernels", model.kernelName, "threads", session.threadCount)
        let bandwidth = await readBandwidth()
        report("memory_read_gigabytes_per_second", bandwidth / 1e9)
        for count in [1, 2, 4, 8, 16] {
            let seconds = try decodeSeconds(sequences: count)
            report("decode_\(count)_tokens_per_second", Double(count) / seconds)
            if count == 1 {
                report("decode_1_share_of_bandwidth", Double(bytesPerPass) / seconds / bandwidth)
            }
        }
        for count in [128, 512] {
            let seconds = try promptSeconds(tokens: count)
            report("prompt_\(count)_tokens_per_second", Double(count) / seconds)
        }
    }

    /// The fastest of a few steps of `count` sequences with a context of 32 tokens each: what else
    /// goes on in the machine makes others slower, and none faster.
    private func decodeSeconds(sequences count: Int) throws -> Double {
        let caches = try (0..<count).map { index in
            let cache = try model.makeCache(capacity: 64)
            _ = try session.forward([step(cache, tokens: 32, seed: index, wantsLogits: false)])
            return cache
        }
        return try fastest(of: 8) {
            _ = try session.forward(caches.map { step($0, tokens: 1, seed: 7, wantsLogits: true) })
        }
    }

    /// The faster of two readings of a prompt, in the chunks of the session.
    private func promptSeconds(tokens count: Int) throws -> Double {
        try fastest(of: 2) {
            let cache = try model.makeCache(capacity: count)
            while cache.count < count {
                let size = min(session.tokenCountMax, count - cache.count)
                let isLast = cache.count + size == count
                _ = try session.forward([step(cache, tokens: size, seed: 3, wantsLogits: isLast)])
            }
        }
    }

    private func step(
        _ cache: KeyValueCache,
        tokens count: Int,
        seed: Int,
        wantsLogits: Bool
    ) -> SequenceStep {
        let tokens = (0..<count).map { index in
            TokenID((cache.count + index + 1) * 7919 * (seed + 1) % model.vocabularyCount)
        }
        return SequenceStep(tokens: tokens, cache: cache, wantsLogits: wantsLogits)
    }

    private func fastest(of count: Int, _ body: () throws -> Void) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<count {
            let start = ContinuousClock.now
            try body()
            best = min(best, (ContinuousClock.now - start).inSeconds)
        }
        return best
    }

    /// How fast as many threads as the session's read the weights and do nothing else, in bytes a
    /// second; the fastest of five.
    private func readBandwidth() async -> Double {
        let tensors = Array(checkpoint.tensors.values)
        let threads = session.threadCount
        var best = Double.infinity
        for _ in 0..<5 {
            let start = ContinuousClock.now
            await withTaskGroup { group in
                for part in 0..<threads {
                    group.addTask {
                        tensors.reduce(0) { $0 &+ sum(of: $1, part: part, of: threads) }
                    }
                }
                for await sum in group { blackHole(sum) }
            }
            best = min(best, (ContinuousClock.now - start).inSeconds)
        }
        return Double(tensors.reduce(0) { $0 + $1.byteRange.count }) / best
    }
}

/// Reads part `part` of `partCount` of a tensor's bytes; what is short of a step is left out.
private func sum(of tensor: Tensor, part: Int, of partCount: Int) -> UInt64 {
    let step = 4 * MemoryLayout<SIMD8<UInt64>>.size
    let bytes = tensor.bytes
    let stepCount = bytes.count / step
    var sums = (SIMD8<UInt64>(), SIMD8<UInt64>(), SIMD8<UInt64>(), SIMD8<UInt64>())
    for index in stepCount * part / partCount..<stepCount * (part + 1) / partCount {
        let start = index * step
        sums.0 &+= bytes.loadUnaligned(fromByteOffset: start, as: SIMD8<UInt64>.self)
        sums.1 &+= bytes.loadUnaligned(fromByteOffset: start + 64, as: SIMD8<UInt64>.self)
        sums.2 &+= bytes.loadUnaligned(fromByteOffset: start + 128, as: SIMD8<UInt64>.self)
        sums.3 &+= bytes.loadUnaligned(fromByteOffset: start + 192, as: SIMD8<UInt64>.self)
    }
    return (sums.0 &+ sums.1 &+ sums.2 &+ sums.3).wrappedSum()
}

/// Keeps the compiler from leaving out what leads to `value`.
@inline(never)
private func blackHole(_ value: UInt64) {
    if value == 0 { print("the weights are all zeros") }
}
