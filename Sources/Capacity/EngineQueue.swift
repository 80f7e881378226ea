// The queue in front of engines, as a birth-death process.
//
// Questions come at random times (Poisson). With n answers in the engines each of them grows by a token in a
// step, whose time depends on n, so answers end at the rate μ(n); all slots busy, questions wait. That is
// M/M/c with a service rate that depends on the state, as a batching engine's does: M/M/c itself would say
// that an answer alone is no faster than one of sixteen. While there are free slots only the mean length of
// answers matters (they share the engine); for the wait the variation of their lengths is accounted for as
// Allen and Cunneen do (Allen, "Probability, Statistics, and Queueing Theory", 1990, chapter 5): times
// (1 + variation) / 2.

/// Engines that answer questions, in equilibrium.
public struct EngineQueue: Equatable, Sendable {
    /// The engines and what they are asked.
    public struct Load: Equatable, Sendable {
        /// Questions a second, of all engines.
        public var turnsPerSecond: Double
        /// Prompt tokens that are read for each.
        public var promptTokens: Double
        /// Tokens of an answer.
        public var answerTokens: Double
        /// The squared coefficient of variation of an answer's length.
        public var answerVariation: Double

        /// Creates a load.
        public init(
            turnsPerSecond: Double,
            promptTokens: Double,
            answerTokens: Double,
            answerVariation: Double = 1
        ) {
            self.turnsPerSecond = turnsPerSecond
            self.promptTokens = promptTokens
            self.answerTokens = answerTokens
            self.answerVariation = answerVariation
        }
    }

    /// The share of the most turns a second that the engines could answer; 1 and more: the queue grows
    /// without end, and the times below are infinite.
    public let utilization: Double
    /// The mean number of answers in the engines.
    public let running: Double
    /// The probability that a question waits for a slot.
    public let waitProbability: Double
    /// The mean wait for a slot, in seconds, of all questions.
    public let meanWait: Double
    /// The mean time of an engine's step, in seconds, as a growing answer sees it.
    public let stepSeconds: Double
    /// The mean time from a slot to the first token, in seconds.
    public let readSeconds: Double

    /// Computes the equilibrium.
    /// - Parameters:
    ///   - speed: each engine's speed.
    ///   - engines: the number of engines.
    ///   - slots: the most answers at once in each.
    ///   - load: what they are asked.
    public init(speed: EngineSpeed, engines: Int, slots: Int, load: Load) {
        let rates = AnswerRates(speed: speed, engines: engines, load: load)
        let count = engines * slots
        let arrivals = load.turnsPerSecond
        let most = rates.ends(running: count)
        utilization = arrivals / most
        guard utilization < 1 else {
            running = Double(count)
            waitProbability = 1
            meanWait = .infinity
            stepSeconds = rates.writeSeconds(turnsPerSecond: most, slots: slots)
            readSeconds = rates.readSeconds(turnsPerSecond: most, step: stepSeconds)
            return
        }
        // The probability of n answers is a product; only sums of it are needed, rescaled in time.
        var weight = 1.0
        var total = 1.0
        var sum = 0.0
        for number in 1...count {
            weight *= arrivals / rates.ends(running: number)
            total += weight
            sum += weight * Double(number)
            if total > 1e200 { (weight, total, sum) = (weight / total, 1, sum / total) }
        }
        let waiting = weight * utilization / (1 - utilization)
        total += waiting
        sum += waiting * Double(count)
        let running = sum / total
        self.running = running
        waitProbability = (weight + waiting) / total
        let spread = (1 + load.answerVariation) / 2
        meanWait = waitProbability / (most - arrivals) * spread
        stepSeconds = rates.writeSeconds(turnsPerSecond: arrivals, slots: slots)
        readSeconds = rates.readSeconds(turnsPerSecond: arrivals, step: stepSeconds)
    }

    /// The wait, in seconds, that only the share `rest` of questions exceeds: the wait of those that
    /// wait is distributed exponentially.
    public func wait(exceededBy rest: Double) -> Double {
        guard utilization < 1 else { return .infinity }
        guard waitProbability > rest else { return 0 }
        return meanWait / waitProbability * logarithm(waitProbability / rest)
    }
}

/// At which rate answers end, by their number.
private struct AnswerRates {
    let speed: EngineSpeed
    let engines: Double
    let reading: PromptReading
    /// Steps after the first token, which the last step of the prompt gives.
    let steps: Double

    init(speed: EngineSpeed, engines: Int, load: EngineQueue.Load) {
        self.speed = speed
        self.engines = Double(engines)
        reading = PromptReading(speed, tokens: load.promptTokens)
        steps = max(0, load.answerTokens - 1)
    }

    /// Answers that end in a second with so many in the engines, spread evenly. In a step each answer
    /// makes a step, and the time that the prompts of that rate add is the engine's, too.
    func ends(running: Int) -> Double {
        let count = Double(running)
        let busy = min(count, engines)
        let batch = max(1, count / engines)
        let all = steps + reading.steps(others: batch - 1)
        let rate = 1 / (all * speed.stepSeconds(answers: batch) / count + reading.seconds / busy)
        return min(rate, busy * most(batch: batch))
    }

    /// The most prompts that an engine reads in a second: so many tokens in each step, beside the
    /// answers that follow from them.
    private func most(batch: Double) -> Double {
        guard batch > 1 else { return 1 / reading.secondsAlone }
        let tokens = reading.tokensPerStep(answers: batch)
        let growing = min(batch, tokens * steps / reading.tokens)
        let step = speed.stepSeconds(answers: max(1, growing)) + tokens * reading.tokenSeconds
        return max(tokens / reading.tokens / step, 0)
    }

    /// The mean step of an answer that grows, at so many turns a second: it meets those that grow, and
    /// the time that prompts take is not theirs.
    func writeSeconds(turnsPerSecond: Double, slots: Int) -> Double {
        let own = turnsPerSecond / engines
        let left = max(0.05, 1 - own * reading.seconds)
        var step = speed.stepSeconds(answers: 1)
        for _ in 0..<100 {
            let growing = min(Double(slots), 1 + own * steps * step)
            step = speed.stepSeconds(answers: growing) / left
        }
        return step
    }

    /// From a slot to the first token: half of a step that others make, the prompt's own steps, and
    /// the wait for other prompts: an engine reads so many tokens a step. Prompts have lengths of an
    /// exponential distribution here, so this wait is that of M/M/1.
    func readSeconds(turnsPerSecond: Double, step: Double) -> Double {
        let own = turnsPerSecond / engines
        let others = own * steps * step
        let read = reading.steps(others: others) * step
        let whole = reading.tokens / reading.tokensPerStep(answers: max(1, others)) * step
        let share = min(0.95, own * whole)
        let wait = share / (1 - share) * whole
        let alone = others < 1 ? (1 - others) * (reading.secondsAlone - read) : 0
        return read + alone + wait + min(1, others) * step / 2
    }
}
