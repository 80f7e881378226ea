import Foundation
import PhiEngine
import Testing
import Tokenizers

@Suite("Streams", .timeLimit(.minutes(1)))
struct StreamTests {
    private let greedy = GenerateParameters(maxTokens: 64, temperature: 0)

    @Test("a stream's chunks are the whole answer, followed by its statistics")
    func pieces() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: Demo.question))
        var all: [Generation] = []
        for await piece in try container.generate(input: input, parameters: greedy) {
            all.append(piece)
        }
        let expected = try Demo.answer(to: [ChatMessage(role: "user", content: Demo.question)])
        #expect(all.compactMap(\.chunk).joined() == expected)
        #expect(all.count > 2)
        #expect(all.compactMap(\.info).count == 1)
        let info = try #require(all.last?.info)
        #expect(info.stopReason == .stop)
        #expect(info.generationTokenCount >= all.count - 1)
    }

    @Test("a stream that is read within perform does not deadlock")
    func withinPerform() async throws {
        let container = try await Demo.container()
        let count = try await container.perform { context in
            let input = try await context.processor.prepare(
                input: UserInput(prompt: Demo.question)
            )
            var count = 0
            for await piece in try generate(input: input, parameters: greedy, context: context)
            where piece.chunk != nil {
                count += 1
            }
            return count
        }
        #expect(count > 1)
    }

    @Test("a generation ends when its stream is no longer read")
    func cancellation() async throws {
        let context = try await endlessModel()
        let input = try await context.processor.prepare(input: UserInput(prompt: "Hello"))
        let plan = try GenerationPlan(input, GenerateParameters(), context)
        let info = await withCheckedContinuation { ended in
            Task {
                for await _ in plan.stream(onEnd: { ended.resume(returning: $0) }) { break }
            }
        }
        #expect(info?.stopReason == .cancelled)
    }

    @Test("a synchronous generation ends when its task is cancelled")
    func cancelledTask() async throws {
        let container = try await Demo.container()
        let input = try await container.prepare(input: UserInput(prompt: Demo.question))
        let result = try await Task {
            try await container.perform { context in
                try generate(input: input, parameters: greedy, context: context) { tokens in
                    if tokens.count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                    return .more
                }
            }
        }.value
        #expect(result.tokens.count == 2)
        #expect(result.info.stopReason == .cancelled)
    }

    /// The demo model without a stop token, so that answers fill the context.
    private func endlessModel() async throws -> ModelContext {
        let hub = try DemoHub(without: ["config.json", "generation_config.json"])
        for file in ["config.json", "tokenizer_config.json"] {
            let text = try String(contentsOfFile: "\(DemoHub.demoFolder)/\(file)", encoding: .utf8)
            let changed = text.replacing("\"eos_token", with: "\"no_eos_token")
                .replacing("added_tokens_decoder", with: "no_added_tokens_decoder")
                // However long the reader waits for a thread, the context is not full before.
                .replacing("_position_embeddings\": 2048", with: "_position_embeddings\": 131072")
            try? FileManager.default.removeItem(atPath: "\(hub.snapshot)/\(file)")
            try changed.write(toFile: "\(hub.snapshot)/\(file)", atomically: true, encoding: .utf8)
        }
        return try await LLMModelFactory.shared.load(
            configuration: ModelConfiguration(directory: URL(filePath: hub.snapshot))
        )
    }

    @Test("a session keeps the conversation")
    func session() async throws {
        let container = try await Demo.container()
        let session = ChatSession(
            container,
            instructions: "You are a helpful assistant.",
            generateParameters: greedy
        )
        let first = try await session.respond(to: Demo.question)
        var second = ""
        for try await piece in session.streamResponse(to: "And of Norway?") { second += piece }
        var messages = [
            ChatMessage(role: "system", content: "You are a helpful assistant."),
            ChatMessage(role: "user", content: Demo.question),
        ]
        #expect(first == (try Demo.answer(to: messages)))
        messages.append(ChatMessage(role: "assistant", content: first))
        messages.append(ChatMessage(role: "user", content: "And of Norway?"))
        #expect(second == (try Demo.answer(to: messages)))
    }

    @Test("a session drops a question whose answer failed")
    func failedQuestion() async throws {
        let container = try await Demo.container()
        let session = ChatSession(container, generateParameters: greedy)
        await #expect(throws: PhiEngineError.self) {
            try await session.respond(to: String(repeating: "long ", count: 100_000))
        }
        let answer = try await session.respond(to: Demo.question)
        #expect(
            answer == (try Demo.answer(to: [ChatMessage(role: "user", content: Demo.question)]))
        )
    }
}
