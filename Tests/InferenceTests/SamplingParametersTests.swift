import Inference
import Testing

@Suite("Sampling parameters")
struct SamplingParametersTests {
    @Test("the defaults are greedy")
    func defaults() throws {
        #expect(try SamplingParameters() == .greedy)
    }

    @Test("both ends of each range are accepted")
    func ends() throws {
        let least = try SamplingParameters(
            temperature: 0,
            topP: 0,
            topK: 0,
            minP: 0,
            repetitionPenalty: 0.5,
            repetitionWindow: 0
        )
        let most = try SamplingParameters(
            temperature: 2,
            topP: 1,
            topK: 1_000_000,
            minP: 1,
            repetitionPenalty: 2,
            repetitionWindow: 4096
        )
        #expect(least.topP == 0)
        #expect(most.topK == 1_000_000)
    }

    @Test(
        "a value outside its range is refused by name",
        arguments: [-0.001, 2.001, .nan, .infinity, -.infinity]
    )
    func temperature(value: Double) {
        let error = #expect(throws: SamplingError.self) {
            try SamplingParameters(temperature: value)
        }
        #expect(error?.description.hasPrefix("temperature is ") == true)
        #expect(error?.description.hasSuffix("must be from 0.0 to 2.0") == true)
    }

    @Test("each parameter has its own range")
    func others() {
        func name(_ make: () throws -> SamplingParameters) -> String? {
            do {
                _ = try make()
                return nil
            } catch SamplingError.outOfRange(let name, _, _) {
                return name
            } catch {
                return "another error"
            }
        }
        #expect(name { try SamplingParameters(topP: 1.1) } == "top_p")
        #expect(name { try SamplingParameters(topK: -1) } == "top_k")
        #expect(name { try SamplingParameters(topK: .max) } == "top_k")
        #expect(name { try SamplingParameters(minP: -1) } == "min_p")
        #expect(name { try SamplingParameters(repetitionPenalty: 0) } == "repetition_penalty")
        #expect(name { try SamplingParameters(repetitionWindow: 5000) } == "repetition_window")
        #expect(name { try SamplingParameters(presencePenalty: 2.1) } == "presence_penalty")
        #expect(name { try SamplingParameters(frequencyPenalty: -2.1) } == "frequency_penalty")
        let bias = [TokenBias(token: 1, bias: -101)]
        #expect(name { try SamplingParameters(logitBias: bias) } == "logit_bias")
    }
}
