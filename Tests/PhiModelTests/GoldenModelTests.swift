import Checkpoints
import PhiModel
import Testing

/// mlx-lm in float32 and a float64 program agree to 1e-4 on these models; float32 sums in another
/// order add about as much. A wrong bit anywhere changes the second digit. For GGUF files, it is that
/// program on the weights that the `gguf` package decodes.
private let tolerance: Float = 1e-3

@Suite("tiny models against reference values")
struct GoldenModelTests {
    @Test("every bit width is among them in every group size, and every mode and type of floats")
    func coverage() throws {
        var schemes: Set<[Int]> = []
        var floatSchemes: Set<[Int]> = []
        var types: Set<ElementType> = []
        for name in Golden.allModels {
            let configuration = try ModelConfiguration(folder: Golden.path(name))
            let tensors = try Checkpoint.open(Golden.path(name)).tensors
            for (name, scales) in tensors where name.hasSuffix(".scales") {
                let columns =
                    name.contains("down_proj") || name.contains("fc2")
                    ? configuration.intermediateSize : configuration.hiddenSize
                let words = tensors[name.replacing(".scales", with: ".weight")]?.shape.last ?? 0
                let scheme = [words * 32 / columns, columns / (scales.shape.last ?? 1)]
                if scales.elementType == .uint8 {
                    floatSchemes.insert(scheme)
                } else {
                    schemes.insert(scheme)
                }
            }
            types.formUnion(tensors.values.map(\.elementType))
        }
        for bits in AffineQuantization.supportedBits {
            for groupSize in AffineQuantization.supportedGroupSizes {
                #expect(schemes.contains([bits, groupSize]), "\(bits) bits by \(groupSize)")
            }
        }
        #expect(floatSchemes == Set(QuantizationScheme.floats.map { [$0.bits, $0.groupSize] }))
        #expect(types == Set(ElementType.floats + [.uint32, .uint8] + ElementType.blocks))
    }

    @Test(
        "logits of every position, in float32",
        arguments: Golden.allModels,
        KernelTables.names
    )
    func logits(name: String, kernels: String) throws {
        let session = try Golden.model(name, kernels: kernels).makeSession(threadCount: 1)
        var worst: Float = 0
        for golden in try Golden.sequences(name) {
            let cache = try session.model.makeCache(
                capacity: 96,
                ropeFactors: session.model.ropeFactors(forLength: 96, rule: golden.rule)
            )
            let logits = try session.logitsOfAllPositions(golden.tokens, cache: cache)
            #expect(logits.map(argmax) == golden.argmax)
            worst = max(worst, maximumDifference(logits[logits.count - 1], golden.lastLogits))
            for (position, first) in golden.firstLogits.enumerated() {
                worst = max(
                    worst,
                    maximumDifference(Array(logits[position].prefix(8)), first)
                )
            }
        }
        #expect(worst < tolerance)
    }

    @Test("greedy tokens, in float32", arguments: Golden.allModels, KernelTables.names)
    func greedy(name: String, kernels: String) throws {
        let session = try Golden.model(name, kernels: kernels).makeSession(threadCount: 2)
        for golden in try Golden.sequences(name) {
            let answer = try session.greedy(
                golden.tokens,
                count: golden.greedy.count,
                rule: golden.rule
            )
            #expect(answer == golden.greedy, "\(golden.testDescription)")
        }
    }
}
