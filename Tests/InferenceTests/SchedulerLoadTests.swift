import Inference
import Testing

@Suite("Concurrent conversations with short questions")
struct SchedulerLoadTests {
    /// The times of passes on a machine, in seconds.
    struct Machine: CustomTestStringConvertible {
        var testDescription: String
        /// Passes of one row, two, and so on.
        var few: [Double]
        /// The additional time for reading the weights, and for each row.
        var weights: Double
        var row: Double
        /// Rows are computed in groups of this size: one takes as long as all of them.
        var panel: Int

        func seconds(_ rows: Int) -> Double {
            if few.indices.contains(rows - 1) { return few[rows - 1] }
            return weights + row * Double((rows + panel - 1) / panel * panel)
        }
    }

    /// Conversations in which each question follows the previous answer immediately.
    private struct Simulation {
        static let promptCount = 33
        static let answerCount = 24

        var scheduler: Scheduler
        var seconds = 0.0
        var tokenCount = 0
        var longestGap = 0.0
        var firstTokens: [Double] = []
        private let start = ContinuousClock.now
        private var nextID: UInt64 = 0
        private var askedAt: [UInt64: Double] = [:]
        /// The number of tokens of each running answer.
        private var counts: [UInt64: Int] = [:]

        init(of conversationCount: Int) {
            scheduler = Scheduler(slots: conversationCount, prefillChunk: 64)
            for _ in 0..<conversationCount { ask() }
        }

        private mutating func ask() {
            scheduler.enqueue(nextID, promptCount: Self.promptCount)
            askedAt[nextID] = seconds
            nextID += 1
        }

        mutating func pass(on machine: Machine) {
            let work = scheduler.plan(at: start).work
            let took = machine.seconds(
                work.reduce(0) { $0 + $1.promptCount + ($1.isDecode ? 1 : 0) }
            )
            scheduler.computed(work, in: .seconds(took))
            seconds += took
            if !counts.isEmpty { longestGap = max(longestGap, took) }
            for work in work where work.wantsLogits { receive(work.id) }
        }

        private mutating func receive(_ id: UInt64) {
            tokenCount += 1
            if let askedAt = askedAt.removeValue(forKey: id) {
                firstTokens.append(seconds - askedAt)
            }
            counts[id, default: 0] += 1
            guard counts[id] == Self.answerCount else { return }
            counts[id] = nil
            scheduler.release(id)
            ask()
        }
    }

    @Test(
        "answers soon run together, without long gaps",
        arguments: [
            Machine(
                testDescription: "AVX2, as measured",
                few: [0.1, 0.114, 0.124, 0.155],
                weights: 0.065,
                row: 0.026,
                panel: 8
            ),
            Machine(
                testDescription: "AVX2, undisturbed",
                few: [0.085, 0.09, 0.11, 0.14],
                weights: 0.05,
                row: 0.0205,
                panel: 8
            ),
            Machine(testDescription: "VNNI", few: [], weights: 0.08, row: 0.013, panel: 8),
            Machine(testDescription: "AMX", few: [], weights: 0.09, row: 0.0075, panel: 16),
        ]
    )
    func together(machine: Machine) {
        let count = 8
        var simulation = Simulation(of: count)
        while simulation.tokenCount < 3000 { simulation.pass(on: machine) }

        // If all started at once: the rows of the questions, and one reading of the weights for all
        // tokens at the same position.
        let reading = Double(count * Simulation.promptCount) * machine.row
        let generating = Double(Simulation.answerCount) * machine.seconds(count)
        let most = Double(count * Simulation.answerCount) / (reading + generating)
        #expect(Double(simulation.tokenCount) / simulation.seconds >= 0.85 * most)

        let median = simulation.firstTokens.sorted()[simulation.firstTokens.count / 2]
        #expect(median < reading)
        #expect(simulation.longestGap <= 1.2)
    }
}
