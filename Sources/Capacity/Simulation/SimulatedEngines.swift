// The engines of a simulated site: a queue, slots, and answers that grow by a token in each step.

/// An answer of a simulated site.
struct SimulatedAnswer: Sendable {
    /// Readers on another node.
    struct Remote: Sendable {
        let node: Int
        let readers: Int
    }

    /// The node that generates it, and its readers there.
    let home: Int
    let readers: Int
    /// The other nodes with readers.
    let remote: [Remote]
    let askedAt: Double
    /// Tokens of its prompt that are still to be read.
    var unread: Double
    /// Tokens that are still to come.
    var tokens: Double
}

/// All engines, with their answers spread evenly.
struct SimulatedEngines: Sendable {
    /// What an answer became in a time.
    struct Growth {
        let answer: SimulatedAnswer
        let deltas: Double
        /// Seconds in which it grew.
        let seconds: Double
    }

    private let speed: EngineSpeed
    private let engines: Double
    private let slots: Int
    private let reading: PromptReading
    private var waiting: [SimulatedAnswer] = []
    /// The first of `waiting` that waits; those before it are removed now and then.
    private var first = 0
    private(set) var running: [SimulatedAnswer] = []

    init(_ site: Site, team: Team, speed: EngineSpeed) {
        self.speed = speed
        engines = Double(site.engines)
        slots = site.engines * site.slots
        reading = PromptReading(speed, tokens: team.unreadTokens)
    }

    /// Tokens of a prompt.
    var promptTokens: Double { reading.tokens }
    var waitingCount: Int { waiting.count - first }

    /// Seconds in which a prompt is read now.
    var readSeconds: Double {
        let others = Double(running.count) / engines
        return reading.steps(others: others) * decodeSeconds + reading.seconds
    }

    private var decodeSeconds: Double {
        speed.stepSeconds(answers: max(1, Double(running.count) / engines))
    }

    mutating func ask(_ answer: SimulatedAnswer) { waiting.append(answer) }

    /// Gives free slots to those that wait.
    /// - Returns: the answers that started.
    mutating func start() -> [SimulatedAnswer] {
        let count = min(slots - running.count, waitingCount)
        guard count > 0 else { return [] }
        let started = Array(waiting[first..<(first + count)])
        first += count
        if first > 1024 {
            waiting.removeFirst(first)
            first = 0
        }
        running += started
        return started
    }

    /// Lets all answers grow for a time.
    mutating func advance(by time: Double) -> [Growth] {
        let readers = Double(running.count { $0.unread > 0 })
        // An engine reads so many prompt tokens a step, of one of its prompts after the other.
        let chunk = reading.tokensPerStep(answers: Double(running.count) / engines)
        let share = readers > 0 ? min(1, engines / readers) : 0
        let steps =
            time / (decodeSeconds + min(1, readers / engines) * chunk * reading.tokenSeconds)
        var grown: [Growth] = []
        for index in running.indices {
            var left = steps
            if running[index].unread > 0 {
                let read = min(running[index].unread, steps * chunk * share)
                running[index].unread -= read
                left -= read / (chunk * share)
            }
            guard left > 0 else { continue }
            let tokens = min(left, running[index].tokens)
            running[index].tokens -= tokens
            let seconds = time * tokens / steps
            let deltas = min(tokens, seconds / SiteForecast.mergeSeconds)
            grown.append(Growth(answer: running[index], deltas: deltas, seconds: seconds))
        }
        return grown
    }

    /// Frees the slots of answers that have ended.
    mutating func removeEnded() -> [SimulatedAnswer] {
        let ended = running.filter { $0.tokens <= 0 && $0.unread <= 0 }
        running.removeAll { $0.tokens <= 0 && $0.unread <= 0 }
        return ended
    }
}

extension RandomNumberGenerator {
    /// A value of an exponential distribution.
    mutating func exponential(mean: Double) -> Double {
        -mean * logarithm(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self))
    }

    /// A value of a Poisson distribution: times between events are exponential.
    mutating func poisson(mean: Double) -> Int {
        guard mean > 0 else { return 0 }
        var count = 0
        var time = exponential(mean: 1)
        while time < mean {
            count += 1
            time += exponential(mean: 1)
        }
        return count
    }
}
