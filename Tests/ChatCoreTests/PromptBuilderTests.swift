import ChatCore
import ChatProtocol
import Testing

/// One token per word, two template tokens per message, one for the start of the answer.
private struct WordEncoding: PromptEncoding {
    let parts: (any PromptPartEncoding)?

    init(hasParts: Bool = false) {
        parts = hasParts ? Parts() : nil
    }

    /// The same per message; it claims to depend on positions, so that the builder uses it.
    private struct Parts: PromptPartEncoding {
        let opening: [Int32] = []
        let closing: [Int32] = [-3]
        let dependsOnPosition = true

        func encode(_ message: PromptMessage, isFirst: Bool, isLast: Bool) -> [Int32]? {
            WordEncoding.tokens(of: message)
        }

        func tokenCountMin(of text: String) -> Int { text.utf8.count / 100 }
    }

    private static func tokens(of message: PromptMessage) -> [Int32] {
        [-1] + message.text.split(separator: " ").map { Int32($0.utf8.count) } + [-2]
    }

    func encode(_ messages: [PromptMessage]) -> (tokens: [Int32], messageTokenCounts: [Int]) {
        var tokens: [Int32] = []
        var counts: [Int] = []
        for message in messages {
            let part = Self.tokens(of: message)
            tokens.append(contentsOf: part)
            counts.append(part.count)
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

    @Test("contains the system prompt and every turn if they fit")
    func whole() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 1000)
        let branch = branch(turns: 3)
        let prompt = try builder.build(
            PromptRequest(systemPrompt: "be kind", branch: branch, maxNewTokens: 100)
        )
        #expect(prompt.receipt.entries.map(\.message) == [nil] + branch.map(\.id))
        #expect(prompt.receipt.droppedMessages == 0)
        #expect(prompt.tokens.count == 4 + 3 * 12 + 6 + 1)
        #expect(prompt.maxNewTokens == 100)
    }

    @Test("counts the tokens of the server's own system prompt, without any user's text")
    func published() throws {
        func count(
            _ systemPrompt: String,
            _ scope: SystemPromptVersion.Scope?,
            hasParts: Bool = true
        ) throws -> Int {
            let builder = PromptBuilder(
                encoding: WordEncoding(hasParts: hasParts),
                contextLength: 1000
            )
            let request = PromptRequest(
                systemPrompt: systemPrompt,
                systemPromptVersion: scope.map { SystemPromptVersion(scope: $0, version: 1) },
                branch: branch(turns: 1),
                maxNewTokens: 100
            )
            return try builder.build(request).publishedTokenCount
        }
        #expect(try count("be kind", .server) == 4)
        #expect(try count("be kind", .conversation) == 0)
        #expect(try count("be kind", nil) == 0)
        #expect(try count("", .server) == 0)
        // If messages depend on their neighbours, tokens cannot be attributed to them.
        #expect(try count("be kind", .server, hasParts: false) == 0)
    }

    @Test("drops whole turns, oldest first, never the system prompt, and counts them")
    func cut() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 50)
        let branch = branch(turns: 10)
        let prompt = try builder.build(
            PromptRequest(
                systemPrompt: "be kind",
                branch: branch,
                olderMessageCount: 6,
                maxNewTokens: 10
            )
        )
        // 4 + 1 + 6 tokens are always included; within 40, two turns of 12 fit.
        #expect(prompt.receipt.entries.first?.message == nil)
        #expect(prompt.receipt.entries.dropFirst().map(\.message) == branch.suffix(5).map(\.id))
        #expect(prompt.receipt.droppedMessages == 16 + 6)
        #expect(prompt.tokens.count <= 40)
    }

    @Test("is refused, not cut, if the newest turn alone is too long")
    func refused() {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 20)
        let long = message("user", String(repeating: "word ", count: 40))
        #expect(throws: PromptError.newestTurnTooLong(tokens: 43, limit: 10)) {
            try builder.build(PromptRequest(systemPrompt: "", branch: [long], maxNewTokens: 500))
        }
    }

    @Test("omits answers without text")
    func emptyAnswers() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 100)
        let branch = [message("user", "one"), message("assistant", ""), message("user", "two")]
        let prompt = try builder.build(
            PromptRequest(systemPrompt: "", branch: branch, maxNewTokens: 10)
        )
        #expect(prompt.receipt.entries.map(\.message) == [branch[0].id, branch[2].id])
        #expect(prompt.receipt.droppedMessages == 0)
    }

    @Test("omits a question that was too long to be answered, so that later ones fit")
    func failedQuestion() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 20)
        let long = message("user", String(repeating: "word ", count: 40))
        let branch = [long, message("assistant", ""), message("user", "two")]
        let prompt = try builder.build(
            PromptRequest(systemPrompt: "", branch: branch, maxNewTokens: 10)
        )
        #expect(prompt.receipt.entries.map(\.message) == [branch[2].id])
        #expect(prompt.receipt.droppedMessages == 1)
    }

    @Test("always fits the context, for random lengths, and accounts for every message")
    func property() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let context = Int.random(in: 30...300, using: &generator)
            let branch = branch(turns: Int.random(in: 0...30, using: &generator))
            let request = PromptRequest(
                systemPrompt: Bool.random(using: &generator) ? "be kind" : "",
                branch: branch,
                maxNewTokens: Int.random(in: 1...400, using: &generator)
            )
            let builders = [false, true].map { hasParts in
                PromptBuilder(
                    encoding: WordEncoding(hasParts: hasParts),
                    contextLength: context
                )
            }
            let prompts = builders.map { builder in Result { try builder.build(request) } }
            guard case .success(let prompt) = prompts[0] else {
                #expect(throws: PromptError.self) { try prompts[1].get() }
                continue
            }
            #expect(try prompts[1].get() == prompt)
            #expect(prompt.tokens.count + prompt.maxNewTokens <= context)
            #expect(prompt.maxNewTokens > 0)
            let receipt = prompt.receipt
            #expect(receipt.entries.last?.message == branch.last?.id)
            let sent = receipt.entries.compactMap(\.message)
            #expect(sent.count + receipt.droppedMessages == branch.count)
            #expect(receipt.entries.map(\.tokens).reduce(1, +) == prompt.tokens.count)
            #expect(receipt.scaffoldTokens == 1)
            let out = branch.dropLast(sent.count)
            #expect(receipt.leftOut?.first == out.first?.id)
            #expect(receipt.leftOut?.last == out.last?.id)
        }
    }

    @Test("is refused under the policy `refuse` if not everything fits, and says what would fit")
    func refusePolicy() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 50)
        var request = PromptRequest(
            systemPrompt: "be kind",
            policy: .refuse,
            branch: branch(turns: 10),
            maxNewTokens: 10
        )
        #expect(
            throws: PromptError.historyTooLong(messages: 21, tokens: 131, fitting: 5, limit: 40)
        ) {
            try builder.build(request)
        }
        request.branch = branch(turns: 2)
        #expect(try builder.build(request).receipt.droppedMessages == 0)
        request.olderMessageCount = 2
        #expect(throws: PromptError.historyTooLong(messages: 7, tokens: 35, fitting: 5, limit: 40))
        {
            try builder.build(request)
        }
    }

    private func summary(of count: Int, _ text: String) -> PromptRequest.BranchSummary {
        PromptRequest.BranchSummary(id: .make(), through: .make(), messageCount: count, text: text)
    }

    @Test("contains a summary instead of the messages that it covers, and records that")
    func summarized() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 70)
        let summary = summary(of: 14, "ann likes teal")
        let request = PromptRequest(
            systemPrompt: "be kind",
            policy: .summarize,
            summary: summary,
            branch: branch(turns: 4),
            firstMessage: .make(),
            maxNewTokens: 10
        )
        let prompt = try builder.build(request)
        // 4 + 12 + 1 + 6 tokens are always included; within 60, three turns of 12 fit.
        #expect(prompt.messages.map(\.role).prefix(3) == ["system", "user", "user"])
        #expect(prompt.messages[1].text.hasSuffix("\nann likes teal"))
        let receipt = prompt.receipt
        #expect(receipt.entries[1].summary == summary.id)
        #expect(receipt.entries[1].tokens == receipt.summarized?.tokens)
        #expect(receipt.summarized?.through == summary.through)
        #expect(receipt.summarized?.count == 14)
        #expect(receipt.leftOut?.count == 2)
        #expect(receipt.leftOut?.first == request.branch[0].id)
        #expect(receipt.leftOut?.last == request.branch[1].id)
        #expect(receipt.entries.map(\.tokens).reduce(1, +) == prompt.tokens.count)
    }

    @Test("omits a summary that leaves no room for the question, and records that")
    func summaryTooLong() throws {
        let builder = PromptBuilder(encoding: WordEncoding(), contextLength: 30)
        let first = MessageID.make()
        let summary = summary(of: 14, String(repeating: "word ", count: 40))
        let prompt = try builder.build(
            PromptRequest(
                systemPrompt: "be kind",
                policy: .summarize,
                summary: summary,
                branch: branch(turns: 0),
                firstMessage: first,
                maxNewTokens: 10
            )
        )
        #expect(prompt.receipt.summarized == nil)
        #expect(prompt.receipt.leftOut == .init(first: first, last: summary.through, count: 14))
    }
}
