import Checkpoints
import PhiModel
import Testing

/// How far rounded activations may move logits: the root of the mean square of the differences to
/// float32's, in shares of the logits' own. Measured at most 0.029, on random weights, which amplify
/// every difference more than trained ones.
private let errorMax: Float = 0.04

/// Where float32's best logit is further ahead of the next than this share of the logits' root mean
/// square, rounding does not change the token. Measured at most 0.073 where it did.
private let margin: Float = 0.1

@Suite("tiny models with activations rounded to int8, against float32")
struct RoundedModelTests {
    /// The logits after every token of each golden sequence and its greedy answer.
    private func logits(_ name: String, kernels: String) throws -> [[Float]] {
        let session = try Golden.model(name, kernels: kernels).makeSession(threadCount: 2)
        return try Golden.sequences(name).flatMap { golden in
            let tokens = golden.tokens + golden.greedy
            let cache = try session.model.makeCache(
                capacity: tokens.count,
                ropeFactors: session.model.ropeFactors(
                    forLength: tokens.count,
                    rule: golden.rule
                )
            )
            return try session.logitsOfAllPositions(tokens, cache: cache)
        }
    }

    @Test("logits are near, and tokens with a margin are the same", arguments: Golden.allModels)
    func near(name: String) throws {
        let exact = try logits(name, kernels: "scalar")
        let rounded = try logits(name, kernels: "scalar-int8")
        #expect(relativeError(rounded.flatMap(\.self), exact.flatMap(\.self)) < errorMax)

        var comparedCount = 0
        for (exact, rounded) in zip(exact, rounded) {
            let sorted = exact.sorted(by: >)
            let squares = exact.reduce(0) { $0 + $1 * $1 }
            let size = (squares / Float(exact.count)).squareRoot()
            guard sorted[0] - sorted[1] > margin * size else { continue }
            comparedCount += 1
            #expect(argmax(rounded) == argmax(exact))
        }
        #expect(comparedCount > exact.count / 2)
    }

    @Test("the instruction sets differ by no more than that", arguments: Golden.modelNames)
    func instructionSets(name: String) throws {
        let reference = try logits(name, kernels: "scalar-int8").flatMap(\.self)
        var results: [[Float]] = []
        for kernels in KernelTables.names.dropFirst() {
            results.append(try logits(name, kernels: "\(kernels)-int8").flatMap(\.self))
        }
        for result in results {
            // A sum of floats in another order may round the other way.
            #expect(relativeError(result, reference) < errorMax)
            // The tables of AVX have their sums of floats in common.
            #expect(result == results[0])
        }
    }

    @Test("a name with -int8 rounds, one without does not")
    func names() throws {
        #expect(Kernels(named: "scalar")?.name == "scalar")
        #expect(Kernels(named: "scalar-int8")?.name == "scalar-int8")
        #expect(Kernels(named: "scalar-int4") == nil)
        let name = "tiny-phi3-4bit"
        #expect(try logits(name, kernels: "scalar") != logits(name, kernels: "scalar-int8"))
    }
}
