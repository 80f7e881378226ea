// How an engine reads prompts beside answers that it writes, as Stoa's scheduler does (`Scheduler`,
// `PromptCredit`): in many steps, of which at least every second one reads nothing, and a long prompt gets no
// more time than the answers.

/// The reading of a prompt.
struct PromptReading: Sendable {
    /// The share of the time of the answers that prompts get: long ones, and those of one chunk.
    private static let shares = (long: 0.7, short: 2.0)

    let speed: EngineSpeed
    /// Tokens that are read.
    let tokens: Double
    /// Seconds that a token adds to a step; weights are read for the answers anyway.
    let tokenSeconds: Double
    /// Steps, and seconds, while no answer is written.
    private let stepsAlone: Double
    let secondsAlone: Double

    init(_ speed: EngineSpeed, tokens: Double) {
        self.speed = speed
        let single = speed.stepSeconds(answers: 1)
        let chunk = Double(speed.promptChunk)
        let perToken = speed.promptTokensPerSecond > 0 ? 1 / speed.promptTokensPerSecond : 0
        self.tokens = max(1, tokens)
        tokenSeconds = max(0, perToken - single / chunk)
        // Prompts have other lengths than the mean; for lengths of an exponential distribution this is
        // the mean number of chunks.
        stepsAlone = 1 / (1 - exponential(-chunk / self.tokens))
        secondsAlone = stepsAlone * single + self.tokens * tokenSeconds
    }

    /// Seconds that a prompt adds to the steps of answers.
    var seconds: Double { tokens * tokenSeconds }

    /// Tokens of prompts in a step beside so many answers in an engine, on average.
    func tokensPerStep(answers: Double) -> Double {
        let chunk = Double(speed.promptChunk)
        guard tokenSeconds > 0 else { return chunk / 2 }
        let share = tokens > chunk ? Self.shares.long : Self.shares.short
        let earned = share * speed.stepSeconds(answers: max(1, answers)) / tokenSeconds
        return max(1, min(chunk / 2, earned))
    }

    /// Steps in which the prompt is read, if so many others are in the engine; less than one: so often
    /// is there another. The first chunk is read at once, since the answers have earned it before.
    func steps(others: Double) -> Double {
        let later =
            tokens * exponential(-Double(speed.promptChunk) / tokens)
            / tokensPerStep(answers: others)
        let beside = max(stepsAlone, 1 + later)
        return stepsAlone + (beside - stepsAlone) * min(1, max(0, others))
    }
}
