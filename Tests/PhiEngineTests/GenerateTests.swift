import Foundation
import PhiEngine
import Testing
import Tokenizers

@Suite("Generating", .timeLimit(.minutes(1)))
struct GenerateTests {
    private let greedy = GenerateParameters(maxTokens: 64, temperature: 0)
    private let messages: [[String: String]] = [
        ["role": "system", "content": "You are a helpful assistant."],
        ["role": "user", "content": Demo.question],
    ]

    @Test("the greedy answer is the engine's own, for any prefill step size")
    func greedyAnswer() async throws {
        let expected = try Demo.answer(
            to: messages.map { ChatMessage(role: $0["role"] ?? "", content: $0["content"] ?? "") }
        )
        let container = try await Demo.container()
        for step in [1, 7, 512] {
            let result = try await container.perform { context in
                let input = try await context.processor.prepare(input: .init(messages: messages))
                var parameters = greedy
                parameters.prefillStepSize = step
                return try generate(input: input, parameters: parameters, context: context) { _ in
                    .more
                }
            }
            #expect(result.output == expected)
            #expect(result.info.stopReason == .stop)
        }
    }

    @Test("the callback gets all tokens so far, and can stop the answer")
    func callback() async throws {
        let container = try await Demo.container()
        let (result, seen) = try await container.perform { context in
            let input = try await context.processor.prepare(input: .init(messages: messages))
            var seen: [[Int]] = []
            let result = try generate(input: input, parameters: greedy, context: context) {
                tokens in
                seen.append(tokens)
                return tokens.count < 3 ? .more : .stop
            }
            return (result, seen)
        }
        #expect(seen.map(\.count) == [1, 2, 3])
        #expect(seen.last == result.tokens)
        #expect(seen[1].starts(with: seen[0]) && seen[2].starts(with: seen[1]))
        #expect(result.generationTokenCount == 3)
        #expect(result.output == container.tokenizer.decode(tokens: result.tokens))
        #expect(result.promptTime > 0 && result.generateTime > 0 && result.tokensPerSecond > 0)
        #expect(result.summary().contains("Generation: 3 tokens"))
    }

    @Test("a callback for single tokens gets the same tokens, and generate returns statistics")
    func singleTokens() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: Demo.question))
        let (all, single, info) = try await container.perform { context in
            let all = try generate(input: input, parameters: greedy, context: context) { _ in
                .more
            }
            var single: [Int] = []
            let info: GenerateCompletionInfo = try generate(
                input: input,
                parameters: greedy,
                context: context
            ) { (token: Int) in
                single.append(token)
                return .more
            }
            return (all.tokens, single, info)
        }
        #expect(single == all)
        #expect(info.generationTokenCount == all.count)
        #expect(info.promptTokenCount == input.text.tokens.size)
    }

    @Test("an answer ends at maxTokens")
    func maxTokens() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: Demo.question))
        let result = try await container.perform { context in
            let parameters = GenerateParameters(maxTokens: 2, temperature: 0)
            return try generate(input: input, parameters: parameters, context: context) { _ in
                .more
            }
        }
        #expect(result.tokens.count == 2)
        #expect(result.info.stopReason == .length)
    }

    @Test("a token of extraEOSTokens ends the answer and is not part of it")
    func extraEndTokens() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: Demo.question))
        let (whole, cut, stop) = try await container.perform { context in
            let whole = try generate(input: input, parameters: greedy, context: context) { _ in
                .more
            }
            let stop = whole.tokens[2]
            var context = context
            context.configuration.extraEOSTokens = [
                try #require(context.tokenizer.convertIdToToken(stop))
            ]
            let cut = try generate(input: input, parameters: greedy, context: context) { _ in
                .more
            }
            return (whole.tokens, cut.tokens, stop)
        }
        #expect(cut == Array(whole.prefix { $0 != stop }))
        #expect(cut.count < whole.count)
    }

    @Test("the same seed gives the same answer")
    func seed() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: "Tell me a story."))
        let answers = try await container.perform { context in
            try ([1, 1, 2, 3, 4] as [UInt64]).map { seed in
                let parameters = GenerateParameters(maxTokens: 24, temperature: 2, seed: seed)
                return try generate(input: input, parameters: parameters, context: context) { _ in
                    .more
                }.tokens
            }
        }
        #expect(answers[0] == answers[1])
        #expect(Set(answers).count > 1)
    }

    @Test("two tasks share a container")
    func sharing() async throws {
        let container = try await Demo.container()
        let questions = [Demo.question, "Who are you?", "What is 2 plus 3?"]
        let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for index in 0..<12 {
                group.addTask {
                    let question = questions[index % questions.count]
                    let result = try await container.perform { context in
                        let input = try await context.processor.prepare(
                            input: UserInput(prompt: question)
                        )
                        return try generate(
                            input: input,
                            parameters: GenerateParameters(maxTokens: 24, temperature: 0),
                            context: context
                        ) { _ in .more }
                    }
                    return (index % questions.count, result.output)
                }
            }
            return try await group.reduce(into: [:] as [Int: Set<String>]) { answers, answer in
                answers[answer.0, default: []].insert(answer.1)
            }
        }
        #expect(answers.count == 3)
        #expect(answers.values.allSatisfy { $0.count == 1 })
    }

    @Test("invalid input and parameters are refused before any computation")
    func refusals() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: "Hello"))
        let endless = LMInput(tokens: TokenArray(Array(repeating: 5, count: 1_000_000)))
        for bad in [LMInput(tokens: TokenArray([])), LMInput(tokens: TokenArray([-7])), endless] {
            #expect(throws: PhiEngineError.self) {
                _ = try container.generate(input: bad, parameters: greedy)
            }
        }
        for bad in [
            GenerateParameters(temperature: -1), GenerateParameters(prefillStepSize: 0),
            GenerateParameters(maxTokens: 0),
        ] {
            #expect(throws: PhiEngineError.self) {
                _ = try container.generate(input: input, parameters: bad)
            }
        }
        await #expect(throws: PhiEngineError.self) {
            try await container.prepare(input: UserInput(messages: [["role": "user"]]))
        }
        await #expect(throws: PhiEngineError.self) {
            try await container.prepare(input: UserInput(chat: []))
        }
    }
}
