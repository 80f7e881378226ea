// Several conversations at once, each of which asks again as soon as it has its answer.

import Checkpoints
import Glibc
import Inference

/// Measures conversations that share an engine; texts are of random tokens.
struct EngineCrowd {
    private static let conversationCount = 8
    private static let turnCount = 6
    /// Tokens of each question and each answer.
    private static let questionCount = 32
    private static let answerCount = 24

    let model: LoadedModel
    let threads: Int

    func run() async throws {
        let engine = try TimedEngine(model, slots: Self.conversationCount, threads: threads)
        defer { engine.shutdown() }
        var talk = Talk(engine: engine, conversationCount: Self.conversationCount)
        let start = ContinuousClock.now
        for conversation in 0..<Self.conversationCount { try talk.ask(conversation) }
        for await batch in engine.batches {
            for event in batch.events { try talk.take(event, at: batch.time) }
            if talk.isOver { break }
        }
        let seconds = (ContinuousClock.now - start).inSeconds
        report("engine_crowd_tokens_per_second", Double(talk.tokenCount) / seconds)
        report("engine_crowd_first_token_p50_ms", talk.firstTokens.median * 1000)
        report("engine_crowd_first_token_p95_ms", talk.firstTokens.percentile(0.95) * 1000)
        report("engine_crowd_longest_gap_ms", talk.gaps.longest * 1000)
        // While the engine still has all that it took.
        let own = try ProcessMemory.anonymous(of: Int(getpid()))
        let mapped = try ProcessMemory.mapped(of: Int(getpid()))
        report("engine_crowd_own_memory_mb", Double(own) / 1e6)
        report("engine_crowd_mapped_memory_mb", Double(mapped) / 1e6)
    }

    /// The conversations, as far as they have come. Conversation i's requests have the number i + 1.
    private struct Talk {
        let engine: TimedEngine
        private(set) var firstTokens = Sample()
        private(set) var gaps = TokenGaps()
        /// Tokens of all answers.
        private(set) var tokenCount = 0
        private var prompts: [[TokenID]]
        private var turns: [Int]

        init(engine: TimedEngine, conversationCount: Int) {
            self.engine = engine
            prompts = .init(repeating: [], count: conversationCount)
            turns = .init(repeating: 0, count: conversationCount)
        }

        var isOver: Bool { turns.allSatisfy { $0 > EngineCrowd.turnCount } }

        /// Asks the next question of a conversation that has more.
        mutating func ask(_ conversation: Int) throws {
            turns[conversation] += 1
            let turn = turns[conversation]
            guard turn <= EngineCrowd.turnCount else { return }
            let seed = conversation * EngineCrowd.turnCount + turn
            prompts[conversation] += randomTokens(EngineCrowd.questionCount, seed: seed)
            try engine.submit(
                UInt64(conversation + 1),
                prompts[conversation],
                tokensMax: EngineCrowd.answerCount,
                scope: "conversation \(conversation)"
            )
        }

        mutating func take(_ event: TokenEvent, at time: ContinuousClock.Instant) throws {
            switch event {
            case .started, .progress: break
            case .text(let id, _, _): gaps.told(id, at: time)
            case .failed(_, let error): throw error
            case .finished(let id, let completion):
                gaps.ended(id)
                tokenCount += completion.completionTokens
                if let first = completion.timeToFirstToken { firstTokens.add(first.inSeconds) }
                let conversation = Int(id) - 1
                prompts[conversation] += completion.receipt?.answer.ids ?? []
                try ask(conversation)
            }
        }
    }
}
