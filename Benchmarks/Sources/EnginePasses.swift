// Passes through a model's weights, compared with the machine's limits: decoding several sequences at
// once, and processing a prompt. Needs only config.json and weights, real ones or random ones of a real
// shape (Tools/real-shapes). Like llama-bench and llama-batched-bench: without tokenizer and sampling.

import Checkpoints
import PhiModel

/// Measures passes of one model.
struct EnginePasses {
    /// Prompt tokens and decoded tokens of a sequence.
    private static let contextCount = 32
    static let growthCount = 48
    /// Prompt tokens per pass, as many as the engine takes while no answer decodes.
    private static let chunk = 64

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

    /// Reads prompts of these numbers of tokens, and measures the processor after each pass.
    func prompts(of counts: [Int]) throws {
        printMachine()
        let processor = ProcessorSpeed(kernels: model.kernelName, threads: session.threadCount)
        let fastest = processor?.fastest() ?? 0
        report("engine_int8_fastest_gigamacs_per_second", fastest / 1e9)
        // The first pass reads the file.
        _ = try promptSeconds(tokens: Self.chunk)
        for count in counts {
            processor?.forget()
            let seconds = try promptSeconds(tokens: count) { processor?.measurePiece() }
            let pace = Double(count) / seconds
            let name = "engine_prompt_\(count)"
            report("\(name)_tokens_per_second", pace)
            guard let processor else { continue }
            let multiplies = pace * multipliesPerToken
            report("\(name)_int8_gigamacs_per_second", processor.mean / 1e9)
            report("\(name)_share_of_int8", multiplies / processor.mean)
            report("\(name)_share_of_fastest_int8", multiplies / fastest)
        }
    }

    /// Multiply-adds per token with the weights of all layers. The head is only computed for a
    /// prompt's last token, and attention is not counted.
    private var multipliesPerToken: Double { Double(model.configuration.layerProductCount) }

    /// Seconds of the passes that read a prompt. `pause` is called after each.
    func promptSeconds(
        tokens count: Int,
        adapter: Adapter? = nil,
        pause: () -> Void = {}
    ) throws -> Double {
        let cache = try model.makeCache(capacity: count)
        return try fill(cache, tokens: count, adapter, pause: pause)
    }

    /// The cache of a prompt that was read.
    func filledCache(tokens count: Int) throws -> KeyValueCache {
        let cache = try model.makeCache(capacity: count)
        try fill(cache, tokens: count)
        return cache
    }

    /// - Returns: the seconds of the passes.
    @discardableResult
    private func fill(
        _ cache: KeyValueCache,
        tokens count: Int,
        _ adapter: Adapter? = nil,
        pause: () -> Void = {}
    ) throws -> Double {
        var total = 0.0
        while cache.count < count {
            let size = min(session.tokenCountMax, count - cache.count)
            let isLast = cache.count + size == count
            var step = step(cache, tokens: size, seed: 3, wantsLogits: isLast)
            step.adapter = adapter
            total += try seconds { _ = try session.forward([step]) }
            pause()
        }
        return total
    }

    // MARK: Decoding

    /// Decodes several sequences, and reads memory after each pass.
    func decode() throws {
        printMachine()
        let memory = MemorySpeed(threads: session.threadCount)
        let fastest = memory?.fastest() ?? 0
        report("engine_read_fastest_gigabytes_per_second", fastest / 1e9)
        for count in [1, 2, 4, 8, 16] {
            memory?.forget()
            let seconds = try decodeSeconds(sequences: count) { memory?.readPiece() }
            let passesPerSecond = Double(Self.growthCount) / seconds
            report("engine_decode_\(count)_tokens_per_second", passesPerSecond * Double(count))
            guard let memory else { continue }
            let read = passesPerSecond * Double(bytesPerPass)
            report("engine_decode_\(count)_read_gigabytes_per_second", memory.mean / 1e9)
            report("engine_decode_\(count)_share_of_read", read / memory.mean)
            report("engine_decode_\(count)_share_of_fastest_read", read / fastest)
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

    /// Seconds of the passes in which so many sequences each get `growthCount` tokens. `pause` is called
    /// after each pass.
    func decodeSeconds(
        sequences count: Int,
        adapter: Adapter? = nil,
        pause: () -> Void = {}
    ) throws -> Double {
        let caches = try (0..<count).map { index in
            let cache = try model.makeCache(capacity: Self.contextCount + Self.growthCount)
            var prompt = step(cache, tokens: Self.contextCount, seed: index, wantsLogits: false)
            prompt.adapter = adapter
            _ = try session.forward([prompt])
            return cache
        }
        var total = 0.0
        for _ in 0..<Self.growthCount {
            total += try seconds {
                let steps = caches.map { cache in
                    var step = step(cache, tokens: 1, seed: 7, wantsLogits: true)
                    step.adapter = adapter
                    return step
                }
                _ = try session.forward(steps)
            }
            pause()
        }
        return total
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
