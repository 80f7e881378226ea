// How fast an engine reads prompts and writes answers.

/// An engine's speed by the number of answers that it writes at once.
public struct EngineSpeed: Codable, Equatable, Sendable {
    /// The speed with so many answers at once.
    public struct Batch: Codable, Equatable, Sendable {
        /// Answers that are written at once.
        public var answers: Int
        /// Tokens a second of all of them together.
        public var tokensPerSecond: Double

        /// Creates a speed.
        public init(answers: Int, tokensPerSecond: Double) {
            self.answers = answers
            self.tokensPerSecond = tokensPerSecond
        }
    }

    /// The model's name.
    public var model: String
    /// Speeds, by ascending number of answers; one at least.
    public var batches: [Batch]
    /// Prompt tokens a second, while no answer is written.
    public var promptTokensPerSecond: Double
    /// The most prompt tokens that the engine reads in a step, beside answers.
    public var promptChunk: Int
    /// Bytes of keys and values for each token of a context.
    public var contextTokenMemory: Double
    /// Bytes of the weights.
    public var weightMemory: Double

    /// Creates speeds.
    public init(
        model: String,
        batches: [Batch],
        promptTokensPerSecond: Double,
        promptChunk: Int = 64,
        contextTokenMemory: Double = 0,
        weightMemory: Double = 0
    ) {
        self.model = model
        self.batches = batches.sorted { $0.answers < $1.answers }
        self.promptTokensPerSecond = promptTokensPerSecond
        self.promptChunk = promptChunk
        self.contextTokenMemory = contextTokenMemory
        self.weightMemory = weightMemory
    }

    /// The most answers at once that were measured.
    public var answersMax: Int { batches.last?.answers ?? 1 }

    /// Seconds of a step in which each of `answers` answers gets a token: between the measured
    /// batches on a straight line, after the last on the line of the last two. Never less than for
    /// fewer answers, as measured noise might say.
    public func stepSeconds(answers: Double) -> Double {
        var earlier = (answers: 0.0, seconds: 0.0)
        var slope = 0.0
        for batch in batches where batch.tokensPerSecond > 0 {
            let count = Double(batch.answers)
            let seconds = max(earlier.seconds, count / batch.tokensPerSecond)
            guard earlier.answers > 0 else {
                if answers <= count { return seconds }
                earlier = (count, seconds)
                continue
            }
            slope = (seconds - earlier.seconds) / (count - earlier.answers)
            if answers <= count { return earlier.seconds + slope * (answers - earlier.answers) }
            earlier = (count, seconds)
        }
        // An engine that was measured with one batch only reads its weights once for all.
        return earlier.seconds + slope * max(0, answers - earlier.answers)
    }

    /// The most answers at once, up to the most that were measured, each of which gets so many tokens a
    /// second; 0 if even one answer is slower.
    public func slots(tokensPerSecond: Double) -> Int {
        (1...answersMax).last { 1 / stepSeconds(answers: Double($0)) >= tokensPerSecond } ?? 0
    }
}
