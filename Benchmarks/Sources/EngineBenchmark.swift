// The engine alone: how fast it reads a prompt and how fast it writes.

import ArgumentParser
import Inference
import Tokenizers

struct EngineBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Let a model write long answers."
    )

    @Option(help: "The model's folder.") var model: String
    @Option(help: "Answers to write.") var runs = 5

    @Flag(help: "Measure passes through the weights instead: no tokenizer is needed.")
    var passes = false

    @Option(help: "Measure so many turns of one conversation instead.")
    var turns: Int?

    @Option(help: "Threads that share a pass.") var threads = EngineConfiguration.threadsDefault

    func run() async throws {
        if passes {
            try await EnginePasses(folder: model, threads: threads).run()
        } else if let turns {
            let model = try LoadedModel.load(folder: model)
            try await EngineTurns(model: model, threads: threads, turns: turns).run()
        } else {
            try answers()
        }
    }

    private func answers() throws {
        let start = ContinuousClock.now
        let model = try LoadedModel.load(folder: model)
        report("engine_load_ms", (ContinuousClock.now - start).inSeconds * 1000)
        var decode = Sample()
        var prefill = Sample()
        let long = String(repeating: "The long winter night is quiet. ", count: 100)
        for _ in 0..<runs {
            let story = try model.generate(
                messages: [ChatMessage(role: "user", content: "Tell me a long story.")],
                maxNewTokens: 400,
                onText: { _ in }
            )
            decode.add(story.tokensPerSecond ?? 0)
            let read = try model.generate(
                messages: [ChatMessage(role: "user", content: long)],
                maxNewTokens: 1,
                onText: { _ in }
            )
            let seconds = read.timeToFirstToken?.inSeconds ?? 0
            if seconds > 0 { prefill.add(Double(read.promptTokens) / seconds) }
        }
        report("engine_decode_tokens_per_second", decode.median)
        report("engine_prompt_tokens_per_second", prefill.median)
    }
}
