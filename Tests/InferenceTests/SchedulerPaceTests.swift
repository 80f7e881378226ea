import Inference
import Testing

@Suite("Prompts beside running answers")
struct SchedulerPaceTests {
    private let start = ContinuousClock.now

    /// The time of reading the weights in units of a row, as measured.
    private static let weightRows = 7

    /// A scheduler with this number of running answers, with ids from 1000 on, and `freeSlots`.
    private func scheduler(growing: Int, freeSlots: Int, prefillChunk: Int) -> Scheduler {
        var scheduler = Scheduler(slots: growing + freeSlots, prefillChunk: prefillChunk)
        for id in 0..<growing { scheduler.enqueue(UInt64(1000 + id), promptCount: 1) }
        // With a budget of one token, they start one after the other.
        for _ in 0...growing { _ = scheduler.plan(at: start) }
        return scheduler
    }

    /// The prompt tokens of a plan.
    private func promptRows(_ plan: StepPlan) -> Int {
        plan.work.reduce(0) { $0 + $1.promptCount }
    }

    @Test(
        "answers keep half of their speed, and never pause for more than 32 prompt tokens",
        arguments: [1, 2, 4, 8],
        [1, 8, 64, 8192]
    )
    func pace(growing: Int, prefillChunk: Int) {
        var scheduler = scheduler(growing: growing, freeSlots: 1, prefillChunk: prefillChunk)
        scheduler.enqueue(0, promptCount: 1_000_000)
        let passCount = 200
        let alone = passCount * (Self.weightRows + growing)
        var beside = 0
        var largest = 0
        for _ in 0..<passCount {
            let plan = scheduler.plan(at: start)
            #expect(plan.work.count(where: \.isDecode) == growing)
            let rows = promptRows(plan)
            beside += Self.weightRows + growing + rows
            largest = max(largest, rows)
        }
        let kept = Double(alone) / Double(beside)
        #expect(kept >= 0.45)
        #expect(largest == min(32, prefillChunk))
        // The prompt gets what the answers do not need.
        if prefillChunk >= 32 { #expect(kept <= 0.65) }
    }

    /// The times of passes on a machine, in seconds.
    struct Machine: CustomTestStringConvertible {
        var testDescription: String
        var weights: Double
        var row: Double
        /// The additional time of a row for each earlier token: attention.
        var rowByToken = 0.0

        func seconds(growing: Int, prompt: Int, read: Int) -> Double {
            let promptRow = row + rowByToken * Double(read)
            return weights + row * Double(growing) + promptRow * Double(prompt)
        }
    }

    @Test(
        "with timed passes answers keep half of their speed on any machine, with short gaps",
        arguments: [
            Machine(testDescription: "AVX2", weights: 0.065, row: 0.0215),
            Machine(testDescription: "VNNI", weights: 0.08, row: 0.013, rowByToken: 5e-6),
            Machine(testDescription: "AMX", weights: 0.09, row: 0.0075),
            Machine(testDescription: "much attention", weights: 0.06, row: 0.02, rowByToken: 2e-5),
            Machine(testDescription: "a slow one", weights: 0.3, row: 0.1),
            Machine(testDescription: "a tiny model", weights: 1e-4, row: 1e-5),
        ],
        [1, 4, 8]
    )
    func timedPace(machine: Machine, growing: Int) {
        var scheduler = scheduler(growing: growing, freeSlots: 1, prefillChunk: 64)
        func pass() -> (rows: Int, seconds: Double, alone: Double) {
            let plan = scheduler.plan(at: start)
            let rows = promptRows(plan)
            let seconds = machine.seconds(growing: growing, prompt: rows, read: read)
            scheduler.computed(plan.work, in: .seconds(seconds))
            read += rows
            return (rows, seconds, machine.seconds(growing: growing, prompt: 0, read: 0))
        }
        var read = 0
        for _ in 0..<20 { _ = pass() }
        scheduler.enqueue(0, promptCount: 1_000_000)
        // The first passes with prompt tokens measure the cost of a row.
        for _ in 0..<20 { _ = pass() }
        var (alone, beside, longest) = (0.0, 0.0, 0.0)
        while read < 3000 {
            let pass = pass()
            alone += pass.alone
            beside += pass.seconds
            longest = max(longest, pass.seconds)
        }
        #expect(alone / beside >= 0.5)
        #expect(alone / beside <= 0.7)
        // The estimate lags behind a growing cost.
        let twoPasses = 2 * machine.seconds(growing: growing, prompt: 0, read: 0)
        #expect(longest <= 1.1 * max(0.75, twoPasses))
    }

    @Test("a pause of the machine is soon corrected", arguments: [0, 1])
    func stall(inPassWithPrompt: Int) {
        let machine = Machine(testDescription: "VNNI", weights: 0.08, row: 0.013)
        var scheduler = scheduler(growing: 2, freeSlots: 1, prefillChunk: 64)
        for _ in 0..<20 {
            scheduler.computed(
                scheduler.plan(at: start).work,
                in: .seconds(machine.seconds(growing: 2, prompt: 0, read: 0))
            )
        }
        scheduler.enqueue(0, promptCount: 1_000_000)
        func readByPasses(_ count: Int, stallsOnce: Bool = false) -> Int {
            var stalls = stallsOnce
            return (0..<count).reduce(0) { sum, _ in
                let plan = scheduler.plan(at: start)
                let rows = promptRows(plan)
                var seconds = machine.seconds(growing: 2, prompt: rows, read: 0)
                if stalls, min(rows, 1) == inPassWithPrompt {
                    seconds += 600
                    stalls = false
                }
                scheduler.computed(plan.work, in: .seconds(seconds))
                return sum + rows
            }
        }
        _ = readByPasses(100)
        let before = readByPasses(200)
        _ = readByPasses(100, stallsOnce: true)
        let after = readByPasses(200)
        #expect(abs(after - before) <= before / 20)
    }

    @Test("a short question beside a running answer is read at once", arguments: [1, 20, 32])
    func shortQuestion(promptCount: Int) {
        for passesBefore in [0, 1, 100] {
            var scheduler = scheduler(growing: 1, freeSlots: 1, prefillChunk: 64)
            for _ in 0..<passesBefore { _ = scheduler.plan(at: start) }
            scheduler.enqueue(0, promptCount: promptCount)
            #expect(
                scheduler.plan(at: start).work == [
                    .decode(id: 1000),
                    .prefill(id: 0, range: 0..<promptCount, completesPrompt: true),
                ]
            )
        }
    }

    @Test("eight concurrent questions are read in large passes")
    func burst() {
        var scheduler = Scheduler(slots: 8, prefillChunk: 64)
        for id in 0..<8 as Range<UInt64> { scheduler.enqueue(id, promptCount: 20) }
        let rows = (0..<10).map { _ in promptRows(scheduler.plan(at: start)) }
        // The first pass reads three, which run from the second one on; others join them.
        #expect(rows == [64, 32, 0, 0, 0, 32, 0, 0, 32, 0])
    }

    @Test("credit earned without prompts is limited to one pass")
    func noHoard() {
        var scheduler = scheduler(growing: 4, freeSlots: 1, prefillChunk: 64)
        for _ in 0..<1000 { _ = scheduler.plan(at: start) }
        scheduler.enqueue(0, promptCount: 1000)
        let rows = (0..<9).map { _ in promptRows(scheduler.plan(at: start)) }
        #expect(rows == [32, 0, 0, 0, 32, 0, 0, 0, 32])
    }

    @Test(
        "the first prompt advances at least every sixth pass, whatever arrives later",
        arguments: [1, 2, 8, 64]
    )
    func noStarvation(prefillChunk: Int) {
        var scheduler = scheduler(growing: 1, freeSlots: 3, prefillChunk: prefillChunk)
        var left = 400
        scheduler.enqueue(0, promptCount: left)
        var last: UInt64 = 0
        var passesSince = 0
        var passes = 0
        while left > 0, passes < 3000 {
            passes += 1
            passesSince += 1
            for _ in 0..<2 where last < 999 {
                last += 1
                scheduler.enqueue(last, promptCount: 40)
            }
            for case .prefill(let id, let range, let completes) in scheduler.plan(at: start).work {
                if id == 0 {
                    #expect(passesSince <= 6)
                    #expect(range.count >= min(left, (min(32, prefillChunk) + 3) / 4))
                    left -= range.count
                    passesSince = 0
                } else if completes {
                    scheduler.release(id)
                }
            }
        }
        #expect(left == 0)
    }

    @Test("all prompts are read in the end, with any budget", arguments: [1, 2, 5, 64])
    func everybody(prefillChunk: Int) {
        var scheduler = scheduler(growing: 2, freeSlots: 6, prefillChunk: prefillChunk)
        let counts = [300, 1, 70, 33, 32, 200]
        for (id, count) in counts.enumerated() { scheduler.enqueue(UInt64(id), promptCount: count) }
        var read: Set<UInt64> = []
        // At least one of six passes reads a token or more.
        for _ in 0..<(6 * counts.reduce(0, +)) where read.count < counts.count {
            for case .prefill(let id, _, true) in scheduler.plan(at: start).work { read.insert(id) }
        }
        #expect(read.count == counts.count)
    }
}
