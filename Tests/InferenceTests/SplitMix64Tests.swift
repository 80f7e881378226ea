import Inference
import Testing

@Suite("SplitMix64")
struct SplitMix64Tests {
    @Test("the first numbers of seed 1234567 are those of the published code")
    func published() {
        var generator = SplitMix64(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }

    @Test("unit numbers are in 0 ..< 1 with the expected mean")
    func unit() {
        var generator = SplitMix64(seed: 7)
        let numbers = (0..<10_000).map { _ in generator.nextUnit() }
        #expect(numbers.allSatisfy { (0..<1).contains($0) })
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        // The mean's standard deviation is 0.0029.
        #expect(abs(mean - 0.5) < 0.012)
    }
}
