import Checkpoints
import FoundationEssentials
import Inference
import Testing

@Suite("A penalty or bias of OpenAI's API")
struct LogitAdjustmentTests {
    /// The first tokens from the same logits, greedily unless the parameters say otherwise.
    private func tokens(
        _ count: Int,
        from logits: [Float],
        _ parameters: SamplingParameters
    ) -> [TokenID] {
        var sampler = Sampler(parameters, samplable: SamplableTokens(count: logits.count))
        // The prompt does not count.
        return (0..<count).compactMap { _ in sampler.sample(logits, recent: [0, 0, 1]) }
    }

    @Test("is subtracted for each time that a token is in the answer: mu[j] - c[j] * frequency")
    func frequency() throws {
        let parameters = try SamplingParameters(frequencyPenalty: 1)
        // 3, then 2 against 2.5, then 2 against 1.5, then 1 against 1.5, …
        #expect(tokens(5, from: [3, 2.5, -9], parameters) == [0, 1, 0, 1, 0])
        let twice = try SamplingParameters(frequencyPenalty: 2)
        #expect(tokens(4, from: [3, 1.5, 1.4], twice) == [0, 1, 2, 0])
    }

    @Test("is subtracted once from tokens that are in the answer: (c[j] > 0) * presence")
    func presence() throws {
        let parameters = try SamplingParameters(presencePenalty: 1)
        #expect(tokens(5, from: [3, 2.5, 1.75], parameters) == [0, 1, 0, 0, 0])
        let negative = try SamplingParameters(presencePenalty: -2)
        #expect(tokens(3, from: [3, 2.5], negative) == [0, 0, 0])
        let both = try SamplingParameters(presencePenalty: 1, frequencyPenalty: 0.5)
        // 3 - 1.5, 2.75 - 1.5, then 3 - 2 against 1.25, 1 against 0.75.
        #expect(tokens(5, from: [3, 2.75, -9], both) == [0, 1, 0, 1, 0])
    }

    @Test("is added to the logit of its token, at every step")
    func bias() throws {
        func biased(_ token: TokenID, _ bias: Double) throws -> SamplingParameters {
            try SamplingParameters(logitBias: [TokenBias(token: token, bias: bias)])
        }
        #expect(tokens(2, from: [3, 2, 1], try biased(2, 100)) == [2, 2])
        #expect(tokens(2, from: [3, 2, 1], try biased(0, -100)) == [1, 1])
        #expect(tokens(2, from: [3, 2, 1], try biased(0, -0.5)) == [0, 0])
        // Rows that are not there change nothing.
        #expect(tokens(1, from: [3, 2, 1], try biased(3, 100)) == [0])
        #expect(tokens(1, from: [3, 2, 1], try biased(-1, 100)) == [0])
    }

    @Test("of nothing gives the same tokens as none", arguments: 0..<20 as Range<UInt64>)
    func nothing(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let logits = (0..<200).map { _ in Float(numbers.nextUnit() * 8) }
        for topK in [0, 20] {
            let plain = try SamplingParameters(temperature: 1, topK: topK, seed: seed)
            let nothing = try SamplingParameters(
                temperature: 1,
                topK: topK,
                presencePenalty: 0,
                frequencyPenalty: 0,
                logitBias: [TokenBias(token: 5, bias: 0)],
                seed: seed
            )
            #expect(tokens(50, from: logits, nothing) == tokens(50, from: logits, plain))
        }
    }

    @Test("is in the JSON of the parameters, and only then")
    func json() throws {
        let parameters = try SamplingParameters(
            temperature: 1,
            presencePenalty: 0.5,
            frequencyPenalty: -1,
            logitBias: [TokenBias(token: 7, bias: -100)]
        )
        func text(_ parameters: SamplingParameters) throws -> String {
            String(decoding: try JSONEncoder().encode(parameters), as: UTF8.self)
        }
        let data = Data(try text(parameters).utf8)
        #expect(try text(parameters).contains(#""presence_penalty":0.5"#))
        #expect(try JSONDecoder().decode(SamplingParameters.self, from: data) == parameters)
        let greedy = try text(.greedy)
        #expect(!greedy.contains("presence") && !greedy.contains("logit_bias"))
    }
}
