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

/// The same with keys and values of 8 bits, and queries and weights rounded to 16. Measured at most
/// 0.109.
private let eightBitMargin: Float = 0.12

/// The same where weights are rounded, too: K types of GGUF files. Measured at most 0.120.
private let roundedWeightMargin: Float = 0.15

/// The same of `phi4mm-4bit`: at 16 times its original context LongRoPE makes attention's scores twice
/// as large, and its rows of 64 values average less than those of the others. Measured at most 0.274.
private let sharpAttentionMargin: Float = 0.3

/// How far keys and values of 8 bits may move logits from those with 16, in the same measure:
/// `relativeError` of all logits of a model's sequences at once, with rounded activations in both.
/// When this bound was set, the largest of these models was 0.031, computed with NumPy. Most of
/// that comes from activations that are then rounded the other way.
private let eightBitErrorMax: Float = 0.04

/// All kernels of this machine that round activations.
private let roundingKernels = KernelTables.names.flatMap { ["\($0)-int8", "\($0)-int8-kv8"] }

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

    @Test("logits are near, and tokens with a margin are the same", arguments: Golden.smoothModels)
    func near(name: String) throws {
        let exact = try logits(name, kernels: "scalar")
        for kernels in roundingKernels {
            let rounded = try logits(name, kernels: kernels)
            let error = relativeError(rounded.flatMap(\.self), exact.flatMap(\.self))
            #expect(error < errorMax, "\(kernels)")
            let lead = largestLeadLost(exact, rounded)
            let isEightBit = kernels.hasSuffix("kv8")
            let bound =
                name.hasSuffix("phi4mm-4bit")
                ? sharpAttentionMargin
                : name.hasSuffix("q4_k_m")
                    ? roundedWeightMargin : isEightBit ? eightBitMargin : margin
            #expect(lead < bound, "\(kernels)")
        }
        let leads = exact.map(lead)
        #expect(leads.count { $0 > margin } > leads.count / 2)
    }

    /// Where two experts are nearly equal, rounding chooses another one and the logits jump, in
    /// this position and in those that see it.
    @Test("most logits of mixtures of experts are near", arguments: Golden.mixtures)
    func mixtures(name: String) throws {
        let exact = try logits(name, kernels: "scalar")
        for kernels in roundingKernels {
            let rounded = try logits(name, kernels: kernels)
            let errors = zip(rounded, exact).map(relativeError).sorted()
            #expect(errors[errors.count / 2] < errorMax, "\(kernels)")
        }
    }

    /// How far the best logit is ahead of the next, in shares of all logits' root mean square.
    private func lead(_ logits: [Float]) -> Float {
        let sorted = logits.sorted(by: >)
        let squares = logits.reduce(0) { $0 + $1 * $1 }
        return (sorted[0] - sorted[1]) / (squares / Float(logits.count)).squareRoot()
    }

    /// The largest lead that float32's best token had where rounding chose another one.
    private func largestLeadLost(_ exact: [[Float]], _ rounded: [[Float]]) -> Float {
        zip(exact, rounded).reduce(0) { largest, logits in
            guard argmax(logits.0) != argmax(logits.1) else { return largest }
            return max(largest, lead(logits.0))
        }
    }

    @Test("keys and values of 8 bits are near those of 16", arguments: Golden.smoothModels)
    func eightBits(name: String) throws {
        let sixteen = try logits(name, kernels: "scalar-int8").flatMap(\.self)
        let eight = try logits(name, kernels: "scalar-int8-kv8").flatMap(\.self)
        #expect(relativeError(eight, sixteen) < eightBitErrorMax)
        #expect(eight != sixteen)
    }

    @Test(
        "the instruction sets differ by no more than that",
        arguments: Golden.modelNames.filter(Golden.smoothModels.contains),
        ["int8", "int8-kv8"]
    )
    func instructionSets(name: String, rounding: String) throws {
        let reference = try logits(name, kernels: "scalar-\(rounding)").flatMap(\.self)
        var results: [[Float]] = []
        for kernels in KernelTables.names where kernels != "scalar" {
            results.append(try logits(name, kernels: "\(kernels)-\(rounding)").flatMap(\.self))
        }
        for result in results {
            // A sum of floats in another order may round the other way.
            #expect(relativeError(result, reference) < errorMax)
            // Tables with registers of one size have their sums of floats in common.
            let isSame = result == results[0]
            #expect(isSame)
        }
    }

    @Test("a name with -int8 rounds, one without does not")
    func names() throws {
        for name in ["scalar", "scalar-int8", "scalar-int8-kv8"] {
            #expect(Kernels(named: name)?.name == name)
        }
        for name in ["scalar-int4", "scalar-kv8", "scalar-int8-kv4", "scalar-", "-int8", ""] {
            #expect(Kernels(named: name) == nil)
        }
        let name = "tiny-phi3-4bit"
        #expect(try logits(name, kernels: "scalar") != logits(name, kernels: "scalar-int8"))
    }

    @Test("an unknown name is refused with the known ones, and no name means the fastest")
    func selection() throws {
        for name in Kernels.names { #expect(try Kernels.selected(by: name).name == name) }
        #expect(Set(roundingKernels).isSubset(of: Kernels.names))
        #expect(Kernels.names.count == 3 * KernelTables.names.count)
        for name in ["avx3", "scalar-int4", "AVX2", " "] {
            #expect(throws: CheckpointError.unknownKernels(name: name, known: Kernels.names)) {
                try Kernels.selected(by: name)
            }
        }
        for name in [nil, ""] {
            #expect(try Kernels.selected(by: name).name == Kernels.fastest.name)
        }
        #expect(Kernels.names.contains(Kernels.fastest.name))
    }

    @Test("a model that rounds can store 8 bits, and then nearly twice as many positions")
    func keeping() throws {
        let sixteen = try Golden.model("tiny-phi3-4bit", kernels: "scalar-int8")
        #expect(sixteen.keeping(.sixteen) === sixteen)
        let eight = sixteen.keeping(.eight)
        #expect(eight.kernelName == "scalar-int8-kv8")
        // 32 numbers of a head, and their scale.
        #expect(eight.cacheByteCountPerPosition * 64 == sixteen.cacheByteCountPerPosition * 36)
        let exact = try Golden.model("tiny-phi3-4bit", kernels: "scalar")
        #expect(exact.keeping(.eight).kernelName == "scalar")
    }
}
