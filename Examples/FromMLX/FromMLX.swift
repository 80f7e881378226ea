// A program for MLX Swift LM, running on Linux without changes.

import Foundation
import MLX
import MLXLLM
import MLXLMCommon

@main
struct FromMLX {
    static func main() async throws {
        MLX.GPU.set(cacheLimit: 20 * 1024 * 1024)
        let container = try await LLMModelFactory.shared.loadContainer(
            configuration: ModelRegistry.phi3_5_4bit
        ) { progress in
            print("Loading: \(Int(progress.fractionCompleted * 100)) %")
        }

        let result = try await container.perform { context in
            print("\(context.configuration.name), \(context.model.numParameters()) parameters")
            let input = try await context.processor.prepare(
                input: .init(messages: [
                    ["role": "system", "content": "You are a helpful assistant."],
                    ["role": "user", "content": "What is the capital of Finland?"],
                ])
            )
            return try MLXLMCommon.generate(
                input: input,
                parameters: GenerateParameters(temperature: 0),
                context: context
            ) { tokens in
                print("So far: \(context.tokenizer.decode(tokens: tokens))")
                return tokens.count < 200 ? .more : .stop
            }
        }
        print(result.summary())
        print("Answer: \(result.output)")
    }
}
