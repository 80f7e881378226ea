import Checkpoints
import Inference
import Testing

@Suite("Draft policy")
struct DraftPolicyTests {
    /// The drafts for answers with `guessed` draft tokens each and the same acceptance.
    private func counts(
        _ guessed: [Int],
        _ acceptance: Double,
        _ policy: DraftPolicy = DraftPolicy(),
        draftsMax: Int = 64
    ) -> [Int] {
        policy.draftCounts(
            for: guessed.map { .init(count: $0, acceptance: acceptance) },
            draftsMax: draftsMax
        )
    }

    /// A policy with measured passes of 1, 2, ... rows, in milliseconds.
    private func policy(_ milliseconds: [Int]) -> DraftPolicy {
        var policy = DraftPolicy()
        for (index, time) in milliseconds.enumerated() {
            policy.cost.note(rows: index + 1, took: .milliseconds(time))
        }
        return policy
    }

    /// Two rows take as long as one, and each further one adds the same time: similar to
    /// Phi-3.5-mini on two cores.
    private var twoCores: DraftPolicy { policy([10, 10] + (3...32).map { 4 * $0 }) }

    // MARK: - The choice

    @Test("a single answer drafts more with a higher acceptance rate")
    func alone() {
        #expect(counts([12], 0.9, twoCores) == [2])
        #expect(counts([12], 0.5, twoCores) == [1])
        #expect(counts([12], 0.09, twoCores) == [0])
        #expect(counts([1], 0.9, twoCores) == [1])
        #expect(counts([0], 0.9, twoCores) == [0])
    }

    @Test("unknown numbers of rows are tried, and not again if they were too slow")
    func trying() {
        var policy = policy([10])
        #expect(counts([12], 0.9, policy) == [7])
        #expect(counts([12], 0.5, policy) == [3])
        #expect(counts([12], 0.09, policy) == [0])
        policy.cost.note(rows: 8, took: .milliseconds(80))
        #expect(counts([12], 0.9, policy) == [0])
    }

    @Test("with two answers, drafts slow down neither by more than half")
    func two() {
        #expect(counts([12, 12], 0.9, twoCores) == [1, 0])
        #expect(counts([0, 12], 0.9, twoCores) == [0, 1])
        // Without the limit they would pay off, as for a single answer.
        let cheap = policy([10, 10, 16, 16, 16])
        #expect(counts([0, 12], 0.97, cheap) == [0, 0])
        #expect(counts([12], 0.97, cheap)[0] >= 3)
    }

    @Test("if rows cost as much as passes, nothing is drafted")
    func full() {
        #expect(counts([12, 12, 12, 12], 0.97, twoCores) == [0, 0, 0, 0])
        #expect(counts(Array(repeating: 12, count: 8), 0.97, twoCores).allSatisfy { $0 == 0 })
        #expect(counts([12], 0.97, policy((1...32).map { 10 * $0 })) == [0])
    }

    @Test("if rows are free, each answer gets its share")
    func cheapRows() {
        let cheap = policy(Array(repeating: 10, count: 32))
        #expect(counts([3, 3, 3, 3], 0.9, cheap) == [3, 3, 3, 3])
        #expect(counts([3, 0, 5, 1], 0.9, cheap) == [3, 0, 5, 1])
    }

    @Test("the likelier token is drafted first")
    func likelier() {
        let policy = policy([10, 10, 10, 100])
        let candidates = [0.5, 0.9].map { DraftPolicy.Candidate(count: 4, acceptance: $0) }
        #expect(policy.draftCounts(for: candidates, draftsMax: 64) == [0, 1])
    }

    @Test("a pass gets at most the maximum number of drafts")
    func room() {
        let cheap = policy(Array(repeating: 10, count: 32))
        #expect(counts([12], 0.97, cheap, draftsMax: 5) == [5])
        #expect(counts([12], 0.97, cheap, draftsMax: 0) == [0])
        #expect(counts([], 0.97, cheap) == [])
        let many = counts(Array(repeating: 12, count: 31), 0.97, cheap)
        #expect(many.reduce(0, +) <= 1)
        #expect(counts(Array(repeating: 12, count: 200), 0.97, cheap).allSatisfy { $0 == 0 })
    }

    // MARK: - What passes take

    @Test("unknown passes are interpolated between known ones, and extrapolated with optimism")
    func estimates() {
        var cost = PassCost()
        #expect(cost.estimate(rows: 1) == 1)
        #expect(cost.estimate(rows: 8) == 1)
        #expect(cost.estimate(rows: 16) == 2)
        cost.note(rows: 1, took: .milliseconds(100))
        #expect(abs(cost.estimate(rows: 1) - 0.1) < 1e-9)
        #expect(abs(cost.estimate(rows: 16) - 0.2) < 1e-9)
        cost.note(rows: 9, took: .milliseconds(180))
        #expect(abs(cost.estimate(rows: 5) - 0.14) < 1e-9)
        #expect(abs(cost.estimate(rows: 10) - 0.2) < 1e-9)
        #expect(abs(cost.estimate(rows: 1) - 0.1) < 1e-9)
    }

    @Test("an outlier is soon corrected")
    func outlier() {
        var cost = PassCost()
        for _ in 0..<20 { cost.note(rows: 1, took: .milliseconds(10)) }
        cost.note(rows: 1, took: .milliseconds(90))
        #expect(cost.estimate(rows: 1) < 0.021)
        for _ in 0..<4 { cost.note(rows: 1, took: .milliseconds(10)) }
        #expect(cost.estimate(rows: 1) < 0.011)
        // A lasting slow-down is learned in the end.
        for _ in 0..<40 { cost.note(rows: 1, took: .milliseconds(50)) }
        #expect(cost.estimate(rows: 1) > 0.045)
    }

    @Test("old measurements are repeated")
    func stale() {
        var cost = PassCost()
        cost.note(rows: 1, took: .milliseconds(10))
        cost.note(rows: 2, took: .milliseconds(90))
        #expect(abs(cost.estimate(rows: 2) - 0.09) < 1e-9)
        for _ in 0..<1000 { cost.note(rows: 1, took: .milliseconds(10)) }
        #expect(abs(cost.estimate(rows: 2) - 0.01) < 1e-9)
    }

    @Test("a pass without a time, or with too many rows, changes nothing")
    func nonsense() {
        var cost = PassCost()
        cost.note(rows: 0, took: .seconds(1))
        cost.note(rows: 33, took: .seconds(1))
        cost.note(rows: 1, took: .zero)
        #expect(cost.estimate(rows: 1) == 1)
        #expect(cost.estimate(rows: 100) == cost.estimate(rows: 32))
    }

    // MARK: - Guesses

    @Test("accepted drafts increase the acceptance rate, rejected ones decrease it")
    func acceptance() {
        var guess = Guess(tokensMax: 100)
        let start = guess.acceptance
        guess.update([1, 2, 3, 4, 5, 1, 2, 3], count: 5)
        #expect(guess.tokens == [4, 5, 1, 2, 3])
        let isRight = guess.settle(4)
        #expect(isRight)
        #expect(guess.tokens == [5, 1, 2, 3])
        #expect(guess.acceptance > start)
        let risen = guess.acceptance
        let isRightAgain = guess.settle(9)
        #expect(!isRightAgain)
        #expect(guess.tokens == [])
        #expect(guess.acceptance < risen)
        // An empty draft is not a rejection.
        let fallen = guess.acceptance
        _ = guess.settle(9)
        #expect(guess.acceptance == fallen)
    }

    @Test("the acceptance rate has an upper limit")
    func bounds() {
        var guess = Guess(tokensMax: 100)
        var tokens: [TokenID] = [1, 1, 1]
        func step(_ token: TokenID) {
            guess.update(tokens, count: 4)
            _ = guess.settle(token)
            tokens.append(token)
        }
        for _ in 0..<90 { step(1) }
        #expect(guess.acceptance < 1)
        #expect(guess.acceptance > 0.9)
    }
}
