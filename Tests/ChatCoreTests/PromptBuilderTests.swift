import ChatCore
import ChatProtocol
import Testing

/// One token a word, two of scaffold a message, one for the opening of the answer.
private struct WordEncoding: PromptEncoding {
    func encode(_ messages: [PromptMessage]) -> (tokens: [Int32], messageTokenCounts: [Int]) {
        var tokens: [Int32] = []
        var counts: [Int] = []
        for message in messages {
            let words = message.text.split(separator: " ")
            tokens.append(contentsOf: [-1] + words.map { Int32($0.utf8.count) } + [-2])
            counts.append(words.count + 2)
        }
        return (tokens + [-3], counts)
    }
}

@Suite("A prompt")
struct PromptBuilderTests {
    private func message(_ role: String, _ text: String) -> PromptMessage {
        PromptMessage(id: .make(), role: role, text: text)
    }

    /// `count` turns of a four-word question and a four-word answer, then a question: 12 tokens a
    /// turn, 6 for the question.
    private func branch(turns count: Int) -> [PromptMessage] {
        var branch: [PromptMessage] = []
        for turn in 0..<count {
            branch.append(message("user", "question number \(turn) please"))
            branch.append(message("assistant", "answer to question \(turn)"))
        }
        return branch + [message("user", "the very last question")]
    }

    @Test("holds the system prompt and every turn where they fit")
    func whole() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 1000)
        let branch = branch(turns: 3)
        let prompt = try builder.build(
            systemPrompt: "be kind",
            branch: branch,
            maxNewTokens: 100
        )
        #expect(prompt.receipt.entries.map(\.message) == [nil] + branch.map(\.id))
        #expect(prompt.receipt.droppedMessages == 0)
        #expect(prompt.tokens.count == 4 + 3 * 12 + 6 + 1)
        #expect(prompt.maxNewTokens == 100)
    }

    @Test("drops the oldest turns whole, never the system prompt, and counts them")
    func cut() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 50)
        let branch = branch(turns: 10)
        let prompt = try builder.build(
            systemPrompt: "be kind",
            branch: branch,
            olderMessageCount: 6,
            maxNewTokens: 10
        )
        // 4 + 1 + 6 are always there; of the 40 allowed, two turns of 12 fit besides.
        #expect(prompt.receipt.entries.first?.message == nil)
        #expect(prompt.receipt.entries.dropFirst().map(\.message) == branch.suffix(5).map(\.id))
        #expect(prompt.receipt.droppedMessages == 16 + 6)
        #expect(prompt.tokens.count <= 40)
    }

    @Test("is refused, not cut, where the newest turn alone is too long")
    func refused() {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 20)
        let long = message("user", String(repeating: "word ", count: 40))
        #expect(throws: PromptError.newestTurnTooLong(tokens: 43, limit: 10)) {
            try builder.build(systemPrompt: "", branch: [long], maxNewTokens: 500)
        }
    }

    @Test("leaves out answers that ended before their first word")
    func emptyAnswers() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 100)
        let branch = [message("user", "one"), message("assistant", ""), message("user", "two")]
        let prompt = try builder.build(systemPrompt: "", branch: branch, maxNewTokens: 10)
        #expect(prompt.receipt.entries.map(\.message) == [branch[0].id, branch[2].id])
        #expect(prompt.receipt.droppedMessages == 0)
    }

    @Test("leaves out a question that was too long to be answered, so that later ones are")
    func failedQuestion() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 20)
        let long = message("user", String(repeating: "word ", count: 40))
        let branch = [long, message("assistant", ""), message("user", "two")]
        let prompt = try builder.build(systemPrompt: "", branch: branch, maxNewTokens: 10)
        #expect(prompt.receipt.entries.map(\.message) == [branch[2].id])
        #expect(prompt.receipt.droppedMessages == 1)
    }

    @Test("never leaves less room than the context has, for any lengths")
    func property() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let context = Int.random(in: 30...300, using: &generator)
            let wanted = Int.random(in: 1...400, using: &generator)
            let builder = PromptBuilder(encoding: WordEncoding(), contextLength: context)
            let branch = branch(turns: Int.random(in: 0...30, using: &generator))
            guard
                let prompt = try? builder.build(
                    systemPrompt: "be kind",
                    branch: branch,
                    maxNewTokens: wanted
                )
            else { continue }
            #expect(prompt.tokens.count + prompt.maxNewTokens <= context)
            #expect(prompt.maxNewTokens > 0)
            #expect(prompt.receipt.entries.last?.message == branch.last?.id)
            #expect(
                prompt.receipt.entries.count - 1 + prompt.receipt.droppedMessages == branch.count
            )
            #expect(prompt.receipt.entries.map(\.tokens).reduce(1, +) == prompt.tokens.count)
        }
    }
}
