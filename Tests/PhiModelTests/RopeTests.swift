import Checkpoints
import PhiModel
import Testing

@Suite("LongRoPE's factor sets")
struct RopeTests {
    private let model: PhiModel
    private let border: Int

    init() throws {
        model = try Golden.model("tiny-phi4mini-4bit")
        border = model.configuration.originalContextLength
    }

    @Test("a run's set depends on its maximum length")
    func perRun() throws {
        #expect(model.ropeFactors(forLength: border) == .short)
        #expect(model.ropeFactors(forLength: border + 1) == .long)
        #expect(try model.makeCache(capacity: border).ropeFactors == .short)
        #expect(try model.makeCache(capacity: border + 1).ropeFactors == .long)
        let chosen = try model.makeCache(capacity: 8, ropeFactors: .long)
        #expect(chosen.ropeFactors == .long)
    }

    @Test("a fixed rule ignores the length", arguments: [1, 4096, 4097, 131_072])
    func fixed(length: Int) {
        #expect(model.ropeFactors(forLength: length, rule: .alwaysLong) == .long)
        #expect(model.ropeFactors(forLength: length, rule: .alwaysShort) == .short)
    }

    @Test("a model without LongRoPE has no set", arguments: RopeRule.allCases)
    func plain(rule: RopeRule) throws {
        let model = try Golden.model("tiny-phi3-4bit")
        #expect(model.ropeFactors(forLength: 1 << 20, rule: rule) == .plain)
        #expect(try model.makeCache(capacity: 8).ropeFactors.description == "none")
    }

    @Test("a history computed again with the other set equals one computed only with it")
    func seam() throws {
        let session = model.makeSession(threadCount: 1)
        let history = (0..<12).map { TokenID($0 * 19 % 320) }
        let short = try model.makeCache(capacity: 16, ropeFactors: .short)
        let shortLogits = try session.logitsOfAllPositions(history, cache: short)
        let long = try model.makeCache(capacity: 16, ropeFactors: .long)
        let longLogits = try session.logitsOfAllPositions(history, cache: long)
        #expect(maximumDifference(shortLogits[11], longLogits[11]) > 1e-3)

        // Passes with other caches in between have no effect.
        for (cache, logits) in [(short, shortLogits), (long, longLogits)] {
            cache.truncate(to: 6)
            let again = try session.logitsOfAllPositions(Array(history[6...]), cache: cache)
            #expect(again == Array(logits[6...]))
        }
    }

    @Test("keys of both sets cannot be in one cache")
    func mixedKeys() async {
        await #expect(processExitsWith: .failure) {
            let model = try Golden.model("tiny-phi4mini-4bit")
            let long = try model.makeCache(capacity: 8, ropeFactors: .long)
            let short = try model.makeCache(capacity: 8, ropeFactors: .short)
            short.share(long.filledPages, count: 0, ropeFactors: long.ropeFactors)
        }
        await #expect(processExitsWith: .failure) {
            let model = try Golden.model("tiny-phi3-4bit")
            _ = try model.makeCache(capacity: 8, ropeFactors: .short)
        }
    }
}
