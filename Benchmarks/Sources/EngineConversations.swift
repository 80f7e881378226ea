// Several conversations at once, each of which asks again as soon as it has its answer.

import Checkpoints
import Glibc
import Inference

/// Measures conversations that share an engine; texts are random tokens.
struct EngineConversations {
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
        var conversations = Conversations(engine: engine, conversationCount: Self.conversationCount)
        let start = ContinuousClock.now
        for conversation in 0..<Self.conversationCount { try conversations.ask(conversation) }
        for await batch in engine.batches {
            for event in batch.events { try conversations.take(event, at: batch.time) }
            if conversations.haveEnded { break }
        }
        let seconds = (ContinuousClock.now - start).inSeconds
        report("engine_conversations_tokens_per_second", Double(conversations.tokenCount) / seconds)
        report("engine_conversations_first_token_p50_ms", conversations.firstTokens.median * 1000)
        report(
            "engine_conversations_first_token_p95_ms",
            conversations.firstTokens.percentile(0.95) * 1000
        )
        report("engine_conversations_longest_gap_ms", conversations.gaps.longest * 1000)
        // While the engine still holds all of its memory.
        let own = try ProcessMemory.anonymous(of: Int(getpid()))
        let mapped = try ProcessMemory.mapped(of: Int(getpid()))
        report("engine_conversations_own_memory_mb", Double(own) / 1e6)
        report("engine_conversations_mapped_memory_mb", Double(mapped) / 1e6)
    }

    /// The state of the conversations. The requests of conversation i have the id i + 1.
    private struct Conversations {
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

        var haveEnded: Bool { turns.allSatisfy { $0 > EngineConversations.turnCount } }

        /// Asks the next question of a conversation, if there is one.
        mutating func ask(_ conversation: Int) throws {
            turns[conversation] += 1
            let turn = turns[conversation]
            guard turn <= EngineConversations.turnCount else { return }
            let seed = conversation * EngineConversations.turnCount + turn
            prompts[conversation] += randomTokens(EngineConversations.questionCount, seed: seed)
            try engine.submit(
                UInt64(conversation + 1),
                prompts[conversation],
                tokensMax: EngineConversations.answerCount,
                scope: "conversation \(conversation)"
            )
        }

        mutating func take(_ event: TokenEvent, at time: ContinuousClock.Instant) throws {
            switch event {
            case .started, .progress: break
            case .text(let id, _, _, _): gaps.emitted(id, at: time)
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
