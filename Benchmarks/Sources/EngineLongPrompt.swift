// A long prompt beside other answers: how much of their speed is left.

import Inference

/// Measures answers beside a prompt; texts are random tokens.
struct EngineLongPrompt {
    private static let neighbourCount = 4
    private static let promptCount = 2000
    /// Tokens of all neighbours together for measuring their speed without the prompt.
    private static let aloneCount = 24 * neighbourCount

    let model: LoadedModel
    let threads: Int

    func run() async throws {
        let engine = try TimedEngine(model, slots: Self.neighbourCount + 1, threads: threads)
        defer { engine.shutdown() }
        var neighbours = Neighbours(engine: engine)
        for _ in 0..<Self.neighbourCount { try neighbours.add() }
        try await neighbours.follow { $0.begunCount == Self.neighbourCount }

        let alone = neighbours.mark
        try await neighbours.follow { $0.mark.tokenCount >= alone.tokenCount + Self.aloneCount }
        let paceAlone = neighbours.mark.pace(since: alone)

        let beside = neighbours.mark
        neighbours.forgetLongestGap()
        let submitted = ContinuousClock.now
        let prompt = randomTokens(Self.promptCount, seed: 1)
        try engine.submit(Neighbours.promptID, prompt, tokensMax: 1)
        try await neighbours.follow { $0.promptIsRead }
        let paceBeside = neighbours.mark.pace(since: beside)

        let count = Double(Self.neighbourCount)
        report("engine_beside_pace_alone_tokens_per_second", paceAlone / count)
        report("engine_beside_pace_tokens_per_second", paceBeside / count)
        report("engine_beside_share_of_pace", paceBeside / paceAlone)
        report("engine_beside_longest_gap_ms", neighbours.longestGap * 1000)
        report("engine_beside_prompt_seconds", (neighbours.mark.time - submitted).inSeconds)
    }
}

/// A time, and the number of tokens until then.
private struct Mark {
    var time: ContinuousClock.Instant
    var tokenCount: Int

    /// Tokens per second, of all answers together.
    func pace(since earlier: Mark) -> Double {
        Double(tokenCount - earlier.tokenCount) / (time - earlier.time).inSeconds
    }
}

/// A constant number of concurrent answers: one that ends early is replaced.
private struct Neighbours {
    /// The id of the long prompt's request; neighbours have later ids.
    static let promptID: UInt64 = 0
    private static let questionCount = 32
    /// More than is decoded while the prompt is processed.
    private static let answerCount = 1500

    let engine: TimedEngine
    private(set) var mark = Mark(time: .now, tokenCount: 0)
    private(set) var promptIsRead = false
    private var gaps = TokenGaps()
    private var lastID = Neighbours.promptID
    /// Those that have a first token.
    private var begun: Set<UInt64> = []

    init(engine: TimedEngine) {
        self.engine = engine
    }

    var begunCount: Int { begun.count }
    /// The longest time between two tokens of one answer, in seconds.
    var longestGap: Double { gaps.longest }

    mutating func forgetLongestGap() { gaps.forgetLongest() }

    mutating func add() throws {
        lastID += 1
        let question = randomTokens(Self.questionCount, seed: Int(lastID))
        try engine.submit(lastID, question, tokensMax: Self.answerCount)
    }

    /// Processes the engine's events until `isDone`.
    mutating func follow(until isDone: (Neighbours) -> Bool) async throws {
        for await batch in engine.batches {
            mark.time = batch.time
            for event in batch.events { try take(event) }
            if isDone(self) { return }
        }
        throw EngineError.shutDown
    }

    private mutating func take(_ event: TokenEvent) throws {
        switch event {
        case .started, .progress: break
        case .text(let id, _, let tokens, _):
            guard id != Self.promptID else { break }
            begun.insert(id)
            mark.tokenCount += tokens.count
            gaps.emitted(id, at: mark.time)
        case .finished(let id, _):
            guard id != Self.promptID else {
                promptIsRead = true
                break
            }
            begun.remove(id)
            gaps.ended(id)
            try add()
        case .failed(_, let error): throw error
        }
    }
}
