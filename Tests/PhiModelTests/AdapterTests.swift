import Checkpoints
import PhiKernels
import PhiModel
import TestSupport
import Testing

/// As for models without adapters: see `GoldenModelTests`.
private let tolerance: Float = 1e-3

@Suite("models with LoRA adapters")
struct AdapterTests {
    @Test(
        "logits and greedy tokens are those of mlx-lm and of PEFT's formula, in float32",
        arguments: Golden.adapters,
        KernelTables.names
    )
    func golden(name: String, kernels: String) throws {
        let model = try Golden.model(Golden.base(of: name), kernels: kernels)
        let adapter = try Golden.adapter(name, for: model)
        let session = model.makeSession(threadCount: 2)
        for golden in try Golden.sequences(name) {
            let capacity = golden.tokens.count + golden.greedy.count
            let cache = try model.makeCache(
                capacity: capacity,
                ropeFactors: model.ropeFactors(forLength: capacity, rule: golden.rule)
            )
            let count = golden.tokens.count
            let logits = try session.compute([
                SequenceStep(
                    tokens: golden.tokens,
                    cache: cache,
                    logitsCount: count,
                    adapter: adapter
                )
            ])
            var last = Array(logits.row(count - 1, of: 0))
            #expect(maximumDifference(last, golden.lastLogits) < tolerance)
            for (position, first) in golden.firstLogits.enumerated() {
                let found = Array(logits.row(position, of: 0).prefix(8))
                #expect(maximumDifference(found, first) < tolerance)
            }
            var answer = [TokenID(argmax(last))]
            while answer.count < golden.greedy.count {
                let step = SequenceStep(
                    tokens: [answer[answer.count - 1]],
                    cache: cache,
                    wantsLogits: true,
                    adapter: adapter
                )
                last = try #require(session.forward([step])[0])
                answer.append(TokenID(argmax(last)))
            }
            #expect(answer == golden.greedy, "\(golden.testDescription)")
        }
    }

    @Test(
        "with rounded activations logits are nearer to float32's than without the adapter",
        arguments: Golden.adapters.filter { !$0.contains("phimoe") }
    )
    func rounded(name: String) throws {
        func logits(_ kernels: String, adapted: Bool) throws -> [Float] {
            let model = try Golden.model(Golden.base(of: name), kernels: kernels)
            let cache = try model.makeCache(capacity: 29)
            let tokens = (0..<29).map { TokenID(($0 * 37) % 60 + 1) }
            let step = SequenceStep(
                tokens: tokens,
                cache: cache,
                wantsLogits: true,
                adapter: adapted ? try Golden.adapter(name, for: model) : nil
            )
            return try #require(model.makeSession(threadCount: 1).forward([step])[0])
        }
        let exact = try logits("scalar", adapted: true)
        let effect = relativeError(try logits("scalar", adapted: false), exact)
        for kernels in KernelTables.names {
            let error = relativeError(try logits("\(kernels)-int8", adapted: true), exact)
            #expect(error < effect / 4, "\(kernels)")
        }
    }

    @Test(
        "sequences with different adapters and none in one pass have bitwise their own results",
        arguments: [1, 2, 3]
    )
    func batch(threadCount: Int) throws {
        var random = SeededGenerator(seed: 31)
        let model = try Golden.model("tiny-phi3-4bit")
        let adapters = try [
            Golden.adapter("tiny-phi3-4bit+mlx", for: model), nil,
            randomAdapter(rank: 11, for: model, &random),
            randomAdapter(rank: 1, for: model, &random),
        ]
        let session = model.makeSession(threadCount: threadCount)
        let alone = model.makeSession(threadCount: 1)
        // Neighbours with one adapter, and rows of one that are apart.
        let choices = [0, 0, 1, 2, 3, 1, 0, 2]
        var pending = choices.indices.map { index in
            (0..<(1 + index * 5 % 17)).map { TokenID(($0 * 37 + index * 101) % 320) }
        }
        let caches = try choices.map { _ in try model.makeCache(capacity: 40) }
        let aloneCaches = try choices.map { _ in try model.makeCache(capacity: 40) }
        for round in 0..<3 {
            // Several logits of some, none of others.
            let counts = pending.enumerated().map { ($0 + round) % 4 == 3 ? 0 : min(2, $1.count) }
            let logits = try session.compute(
                choices.indices.map { index in
                    SequenceStep(
                        tokens: pending[index],
                        cache: caches[index],
                        logitsCount: counts[index],
                        adapter: adapters[choices[index]]
                    )
                }
            )
            let together = counts.enumerated().map { step, count in
                (0..<count).map { Array(logits.row($0, of: step)) }
            }
            for index in choices.indices {
                let single = try alone.compute([
                    SequenceStep(
                        tokens: pending[index],
                        cache: aloneCaches[index],
                        logitsCount: pending[index].count,
                        adapter: adapters[choices[index]]
                    )
                ])
                let all = pending[index].indices.map { Array(single.row($0, of: 0)) }
                #expect(together[index] == Array(all.suffix(counts[index])))
                pending[index] = [TokenID(argmax(all[all.count - 1]))]
            }
        }
    }

    @Test("a prompt read in pieces gives the same logits as read whole", arguments: [1, 5, 16])
    func chunks(size: Int) throws {
        for name in Golden.adapters {
            let model = try Golden.model(Golden.base(of: name))
            let adapter = try Golden.adapter(name, for: model)
            let session = model.makeSession(threadCount: 2)
            let prompt = (0..<33).map { TokenID(($0 * 29 + 7) % 60) }
            func logits(_ pieces: [[TokenID]]) throws -> [Float]? {
                let cache = try model.makeCache(capacity: 33)
                return try pieces.map { piece in
                    try session.forward([
                        SequenceStep(
                            tokens: piece,
                            cache: cache,
                            wantsLogits: true,
                            adapter: adapter
                        )
                    ])[0]
                }.last ?? nil
            }
            let pieces = stride(from: 0, to: 33, by: size).map { start in
                Array(prompt[start..<min(start + size, 33)])
            }
            #expect(try logits(pieces) == logits([prompt]), "\(name)")
        }
    }

    @Test("a change of zeros changes nothing, to the last bit")
    func zeros() throws {
        var random = SeededGenerator(seed: 5)
        let model = try Golden.model("tiny-phi3-4bit")
        let adapter = try randomAdapter(rank: 4, for: model, isZero: true, &random)
        let session = model.makeSession(threadCount: 1)
        func logits(_ adapter: Adapter?) throws -> [Float]? {
            let cache = try model.makeCache(capacity: 4)
            return try session.forward([
                SequenceStep(
                    tokens: [7, 300, 2],
                    cache: cache,
                    wantsLogits: true,
                    adapter: adapter
                )
            ])[0]
        }
        #expect(try logits(adapter) == logits(nil))
        #expect(adapter.byteCount == 2 * (128 * 4 + 4 * 384 + 256 * 4 + 4 * 128) * 4)
    }

    @Test(
        "rows of a matrix are added as by scalar code, in any range",
        arguments: KernelTables.names
    )
    func addedRows(name: String) throws {
        let scalar = try #require(phi_kernels_named("scalar")).pointee
        let kernels = try #require(phi_kernels_named(name)).pointee
        var random = SeededGenerator(seed: 8)
        for round in 0..<90 {
            let matrix = RandomMatrix(
                floatType: [PHI_FLOAT32, PHI_FLOAT16, PHI_BFLOAT16][round % 3],
                rows: .random(in: 1...40, using: &random),
                columns: .random(in: 1...130, using: &random),
                &random
            )
            let weights = random.floats(matrix.rows)
            let first = Int.random(in: 0...matrix.columns, using: &random)
            let values = random.floats(matrix.columns)
            func sums(_ kernels: phi_kernels, split: Int) -> [Float] {
                var result = values
                matrix.withMatrix { matrix in
                    kernels.add_rows(matrix, weights, first, split, &result)
                    kernels.add_rows(matrix, weights, split, result.count, &result)
                }
                return result
            }
            let split = Int.random(in: first...matrix.columns, using: &random)
            let found = sums(kernels, split: split)
            #expect(found == sums(kernels, split: matrix.columns))
            #expect(relativeDifference(found, sums(scalar, split: split)) < 2e-5)
            #expect(found.prefix(first).elementsEqual(values.prefix(first)))
        }
    }

    /// A random adapter of tiny-phi3-4bit's queries, keys, values and down projections.
    private func randomAdapter(
        rank: Int,
        for model: PhiModel,
        isZero: Bool = false,
        _ random: inout SeededGenerator
    ) throws -> Adapter {
        var files = try AdapterFiles(rank: rank)
        for layer in 0..<2 {
            let path = "model.layers.\(layer)"
            files.add(
                "\(path).self_attn.qkv_proj",
                from: 128,
                to: 384,
                rank: rank,
                isZero: isZero,
                &random
            )
            files.add(
                "\(path).mlp.down_proj",
                from: 256,
                to: 128,
                rank: rank,
                isZero: isZero,
                &random
            )
        }
        return try files.load(for: model)
    }
}
