// Passes through a model's weights, compared with the machine's limits: decoding several sequences at
// once, and processing a prompt. Needs only config.json and weights, real ones or random ones of a real
// shape (Tools/real-shapes). Like llama-bench and llama-batched-bench: without tokenizer and sampling.

import Checkpoints
import MachineLimits
import PhiModel

/// Measures passes of one model.
struct EnginePasses {
    /// Prompt tokens and decoded tokens of a sequence.
    private static let contextCount = 32
    static let growthCount = 48
    /// Prompt tokens per pass, as many as the engine takes while no answer decodes.
    private static let chunk = 64
    /// Bytes to read for measuring memory bandwidth: far more than the caches hold.
    static let readByteCount = 1 << 30

    let model: PhiModel
    private let session: PhiSession
    private let checkpoint: Checkpoint

    init(folder: String, threads: Int) throws {
        checkpoint = try Checkpoint.open(folder)
        model = try PhiModel(checkpoint)
        session = model.makeSession(threadCount: threads, tokenCountMax: Self.chunk)
    }

    /// Bytes of all weights.
    var weightByteCount: Int { checkpoint.tensors.reduce(0) { $0 + $1.value.byteRange.count } }

    func printMachine() {
        print("engine_kernels", model.kernelName)
        print("engine_threads", session.threadCount)
    }

    // MARK: Prompts

    /// Reads prompts of these numbers of tokens.
    func prompts(of counts: [Int]) throws {
        printMachine()
        let instructions = String(model.kernelName.prefix { $0 != "-" })
        let peak = (0..<3)
            .map { _ in machine_int8_speed(instructions, session.threadCount) }
            .reduce(0, max)
        if peak > 0 { report("engine_int8_gigamacs_per_second", peak / 1e9) }
        // The first pass reads the file.
        _ = try promptSeconds(tokens: Self.chunk)
        for count in counts {
            let seconds = try promptSeconds(tokens: count)
            let pace = Double(count) / seconds
            report("engine_prompt_\(count)_tokens_per_second", pace)
            guard peak > 0 else { continue }
            report("engine_prompt_\(count)_share_of_int8", pace * multipliesPerToken / peak)
        }
    }

    /// Multiply-adds per token with the weights of all layers. The head is only computed for a
    /// prompt's last token, and attention is not counted.
    private var multipliesPerToken: Double { Double(model.configuration.layerProductCount) }

    /// Seconds to read a prompt.
    func promptSeconds(tokens count: Int, adapter: Adapter? = nil) throws -> Double {
        let cache = try model.makeCache(capacity: count)
        return try seconds { try fill(cache, tokens: count, adapter) }
    }

    /// The cache of a prompt that was read.
    func filledCache(tokens count: Int) throws -> KeyValueCache {
        let cache = try model.makeCache(capacity: count)
        try fill(cache, tokens: count)
        return cache
    }

    private func fill(
        _ cache: KeyValueCache,
        tokens count: Int,
        _ adapter: Adapter? = nil
    ) throws {
        while cache.count < count {
            let size = min(session.tokenCountMax, count - cache.count)
            let isLast = cache.count + size == count
            var step = step(cache, tokens: size, seed: 3, wantsLogits: isLast)
            step.adapter = adapter
            _ = try session.forward([step])
        }
    }

    // MARK: Decoding

    func decode() throws {
        printMachine()
        let bandwidth = machine_read_speed(Self.readByteCount, session.threadCount, 5)
        report("engine_read_gigabytes_per_second", bandwidth / 1e9)
        for count in [1, 2, 4, 8, 16] {
            let seconds = try decodeSeconds(sequences: count)
            let passesPerSecond = Double(Self.growthCount) / seconds
            report("engine_decode_\(count)_tokens_per_second", passesPerSecond * Double(count))
            guard bandwidth > 0 else { continue }
            let share = passesPerSecond * Double(bytesPerPass) / bandwidth
            report("engine_decode_\(count)_share_of_read", share)
        }
    }

    /// Bytes of weights that each pass reads: all but the embedding, unless it is also the head.
    private var bytesPerPass: Int {
        let tied = model.configuration.tiesEmbeddings
        return checkpoint.tensors.reduce(0) { sum, tensor in
            let isLookedUp = !tied && tensor.key.hasPrefix("model.embed_tokens.")
            return sum + (isLookedUp ? 0 : tensor.value.byteRange.count)
        }
    }

    /// Seconds in which so many sequences each get `growthCount` tokens.
    func decodeSeconds(sequences count: Int, adapter: Adapter? = nil) throws -> Double {
        let caches = try (0..<count).map { index in
            let cache = try model.makeCache(capacity: Self.contextCount + Self.growthCount)
            var prompt = step(cache, tokens: Self.contextCount, seed: index, wantsLogits: false)
            prompt.adapter = adapter
            _ = try session.forward([prompt])
            return cache
        }
        return try seconds {
            for _ in 0..<Self.growthCount {
                let steps = caches.map { cache in
                    var step = step(cache, tokens: 1, seed: 7, wantsLogits: true)
                    step.adapter = adapter
                    return step
                }
                _ = try session.forward(steps)
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

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start).inSeconds
    }
}
