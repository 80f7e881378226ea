import Foundation
import PhiEngine
import TestSupport
import Testing

@Suite("Adapters with MLX's names", .timeLimit(.minutes(1)))
struct AdapterTests {
    private let greedy = GenerateParameters(maxTokens: 16, temperature: 0)

    private func output(_ context: ModelContext) async throws -> String {
        let input = try await context.processor.prepare(input: UserInput(prompt: Demo.question))
        return try generate(input: input, parameters: greedy, context: context) { _ in .more }
            .output
    }

    @Test("a loaded adapter changes answers until it is unloaded; other contexts have their own")
    func adapters() async throws {
        let folders = try [1, 2].map { try RandomAdapter.ofDemoModel(seed: $0) }
        let container = try await LLMModelFactory.shared.loadContainer(
            configuration: ModelConfiguration(directory: URL(filePath: DemoHub.demoFolder))
        )
        try await container.perform { context in
            let adapters = try folders.map { folder in
                try LoRAContainer.from(directory: URL(filePath: folder.path))
            }
            let plain = try await output(context)
            try context.model.load(adapter: adapters[0])
            let first = try await output(context)
            let own = try context.adapted(by: adapters[1])
            let second = try await output(own)
            #expect(Set([plain, first, second]).count == 3)
            #expect(try await output(context) == first)
            #expect(try await output(context.adapted(by: nil)) == plain)

            // Not loaded, so that unloading it changes nothing.
            context.model.unload(adapter: adapters[1])
            #expect(try await output(context) == first)
            context.model.unload(adapter: adapters[0])
            #expect(try await output(context) == plain)
            #expect(try await output(own) == second)

            let input = try await context.processor.prepare(
                input: UserInput(prompt: Demo.question)
            )
            let during = try context.model.perform(with: adapters[0]) {
                try generate(input: input, parameters: greedy, context: context) { _ in .more }
            }
            #expect(during.output == first)
            #expect(try await output(context) == plain)

            let session = ChatSession(own, generateParameters: greedy)
            #expect(try await session.respond(to: Demo.question) == second)
        }
    }

    @Test("a folder without an adapter, and one of another model, are refused with the reason")
    func refusals() async throws {
        #expect(throws: PhiEngineError.self) {
            try LoRAContainer.from(directory: URL(filePath: DemoHub.demoFolder))
        }
        let golden = "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden/adapters"
        let other = try LoRAContainer.from(
            directory: URL(filePath: "\(golden)/tiny-phi3-4bit+mlx")
        )
        let container = try await Demo.container()
        let error = await #expect(throws: PhiEngineError.self) {
            try await container.perform { try $0.model.load(adapter: other) }
        }
        #expect(error?.description.contains("trained for") == true)
    }
}
