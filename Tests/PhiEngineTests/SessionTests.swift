import Foundation
import PhiEngine
import Testing
import Tokenizers

@Suite("Sessions", .timeLimit(.minutes(1)))
struct SessionTests {
    private let greedy = GenerateParameters(maxTokens: 32, temperature: 0)
    private let instructions = "You are a helpful assistant."

    private func answer(
        _ session: ChatSession,
        to question: String
    ) async throws -> (text: String, info: GenerateCompletionInfo) {
        var text = ""
        var info: GenerateCompletionInfo?
        for try await event in session.streamDetails(to: question) {
            text += event.chunk ?? ""
            info = event.info ?? info
        }
        return (text, try #require(info))
    }

    @Test("a turn computes only what is new, and its answer is that of computing everything")
    func cache() async throws {
        let container = try await Demo.container()
        let session = ChatSession(
            container,
            instructions: instructions,
            generateParameters: greedy
        )
        var messages = [ChatMessage(role: "system", content: instructions)]
        var countBefore = 0
        for question in [Demo.question, "And of Norway?", "Who are you?", "Thank you"] {
            let turn = try await answer(session, to: question)
            messages.append(ChatMessage(role: "user", content: question))
            #expect(turn.text == (try Demo.answer(to: messages, maxNewTokens: 32)))
            messages.append(ChatMessage(role: "assistant", content: turn.text))
            // All of the turn before is there, but perhaps the end that the template writes.
            #expect(turn.info.cachedPromptTokenCount >= countBefore)
            #expect(turn.info.cachedPromptTokenCount < turn.info.promptTokenCount)
            countBefore = turn.info.promptTokenCount
        }
    }

    @Test("other instructions and a cleared conversation are read anew")
    func changes() async throws {
        let container = try await Demo.container()
        let session = ChatSession(container, instructions: "Be rude.", generateParameters: greedy)
        let rude = try await answer(session, to: Demo.question).text
        session.instructions = instructions
        let question = "And of Norway?"
        let polite = try await answer(session, to: question)
        #expect(
            polite.text
                == (try Demo.answer(
                    to: [
                        ChatMessage(role: "system", content: instructions),
                        ChatMessage(role: "user", content: Demo.question),
                        ChatMessage(role: "assistant", content: rude),
                        ChatMessage(role: "user", content: question),
                    ],
                    maxNewTokens: 32
                ))
        )
        await session.clear()
        let fresh = [
            ChatMessage(role: "system", content: instructions),
            ChatMessage(role: "user", content: question),
        ]
        #expect(
            try await session.respond(to: question)
                == (try Demo.answer(to: fresh, maxNewTokens: 32))
        )
    }

    @Test("a session goes on from a history")
    func history() async throws {
        let container = try await Demo.container()
        let session = ChatSession(
            container,
            instructions: instructions,
            history: [.user(Demo.question), .assistant("Helsinki.")],
            generateParameters: greedy
        )
        let messages = [
            ChatMessage(role: "system", content: instructions),
            ChatMessage(role: "user", content: Demo.question),
            ChatMessage(role: "assistant", content: "Helsinki."),
            ChatMessage(role: "user", content: "And of Norway?"),
        ]
        #expect(
            try await session.respond(to: "And of Norway?")
                == (try Demo.answer(to: messages, maxNewTokens: 32))
        )
    }

    @Test("a session whose answer is given up goes on with the text so far")
    func givenUp() async throws {
        let container = try await Demo.container()
        let session = ChatSession(container, generateParameters: greedy)
        for try await _ in session.streamResponse(to: "Tell me a long story.") { break }
        await session.synchronize()
        #expect(!(try await session.respond(to: Demo.question)).isEmpty)
    }

    @Test("the cache may have 8 bits, and other numbers of bits are refused")
    func keyValueBits() async throws {
        let container = try await Demo.container()
        var parameters = greedy
        parameters.kvBits = 8
        let session = ChatSession(container, generateParameters: parameters)
        let first = try await answer(session, to: Demo.question)
        #expect(first.text.contains("Helsinki"), "\(first.text)")
        #expect(try await answer(session, to: "And of Norway?").info.cachedPromptTokenCount > 0)
        // The next turn has another precision, so nothing is reused.
        session.generateParameters.kvBits = 16
        #expect(try await answer(session, to: "Thank you").info.cachedPromptTokenCount == 0)
        session.generateParameters.kvBits = 4
        await #expect(throws: PhiEngineError.self) { try await session.respond(to: "Hello") }
    }

    @Test("maxKVSize limits prompt and answer together")
    func keyValueSize() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: "Tell me a story."))
        let count = input.text.tokens.size
        let large = GenerateParameters(maxKVSize: count + 3, temperature: 0)
        let result = try await container.perform { context in
            try generate(input: input, parameters: large, context: context) { _ in .more }
        }
        #expect(result.tokens.count == 3 && result.info.stopReason == .length)
        let small = GenerateParameters(maxKVSize: count, temperature: 0)
        let error = #expect(throws: PhiEngineError.self) {
            _ = try container.generate(input: input, parameters: small)
        }
        #expect(error?.description.contains("maxKVSize") == true)
    }

    @Test("penalties change what is sampled, and are refused out of their range")
    func penalties() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: "Tell me a story."))
        let answers = try await container.perform { context in
            try [nil, 2 as Float].map { penalty in
                let parameters = GenerateParameters(
                    maxTokens: 60,
                    temperature: 1.5,
                    presencePenalty: penalty,
                    frequencyPenalty: penalty,
                    seed: 5
                )
                return try generate(input: input, parameters: parameters, context: context) { _ in
                    .more
                }.tokenIds
            }
        }
        #expect(answers[0] != answers[1])
        #expect(throws: PhiEngineError.self) {
            let parameters = GenerateParameters(frequencyPenalty: 3)
            _ = try container.generate(input: input, parameters: parameters)
        }
    }

    @Test("a container's parts can be changed, such as its stop tokens")
    func update() async throws {
        let context = try await loadModel(from: URL(filePath: DemoHub.demoFolder))
        let container = ModelContainer(context: context)
        let stop = try #require(await container.encode(" capital").first)
        await container.update { $0.configuration.eosTokenIds = [stop] }
        let session = ChatSession(container, generateParameters: greedy)
        #expect(!(try await session.respond(to: Demo.question)).contains("capital"))
        #expect(await container.decode(tokenIds: [stop]) == " capital")
    }
}
