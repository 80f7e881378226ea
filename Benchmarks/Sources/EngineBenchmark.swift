// The engine alone, on one model: passes through its weights compared with the machine's limits, and
// scenarios of users that share it. Benchmarks/engine.sh runs this three times, alternating with other
// engines.

import ArgumentParser
import Inference
import PhiModel

/// What to measure.
enum EnginePart: String, ExpressibleByArgument, CaseIterable {
    /// Prompts, compared with the processor's multiply-adds.
    case prompts
    /// Decoding of 1, 2, 4, 8 and 16 sequences, compared with memory bandwidth.
    case decode
    /// Decoding after 4,096, 16,384 and 32,768 tokens, compared with memory bandwidth.
    case contexts
    /// A conversation's second and last turn, and the last one without cached keys and values.
    case turns
    /// Eight concurrent conversations.
    case conversations
    /// Answers that decode while a prompt of 2,000 tokens is processed.
    case longPrompt = "long-prompt"
    /// A conversation of 2,000 tokens after a restart, with KV cache pages on disk and without.
    case restart
    /// A repetitive answer, with drafts and without.
    case drafts
    /// Passes with an adapter, compared with those without.
    case adapters
    /// Two models that answer at the same time, on shared threads and on threads of their own.
    case neighbours
    /// Answers one by one, with the chat template.
    case answers

    /// The default: everything that random weights can measure.
    static let usual: [EnginePart] = [
        .prompts, .decode, .turns, .conversations, .longPrompt, .restart, .drafts,
    ]
}

struct EngineBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Measure a model's engine, without server and database."
    )

    @Option(help: "The model: \(BenchmarkModel.help).", transform: BenchmarkModel.path)
    var model: String
    @Option(help: "The folder of the adapter of --part adapters.") var adapter: String?
    @Option(
        help: "The second model of --part neighbours, named likewise.",
        transform: BenchmarkModel.path
    )
    var beside: String?
    @Option(
        name: .customLong("part"),
        help: "What to measure; may be repeated. All but contexts, adapters, neighbours, answers."
    )
    var parts: [EnginePart] = []
    @Option(help: "Threads that share a pass.") var threads = EngineConfiguration.threadsDefault
    @Option(
        name: .customLong("prompt"),
        help: "Tokens of a prompt of --part prompts; may be repeated. (default: 128, 512, 2048)"
    )
    var prompts: [Int] = []
    @Option(help: "Turns of the conversation.") var turns = 20
    @Option(help: "Answers of --part answers.") var runs = 5

    func validate() throws {
        guard turns > 1, runs > 0, prompts.allSatisfy({ $0 > 0 }) else {
            throw ValidationError(
                "takes two turns or more, one answer or more, and prompts of one token or more"
            )
        }
        guard prompts.isEmpty || parts.isEmpty || parts.contains(.prompts) else {
            throw ValidationError("--prompt is an option of --part prompts")
        }
        guard parts.contains(.adapters) == (adapter != nil) else {
            throw ValidationError("--part adapters needs --adapter, which no other part takes")
        }
    }

    func run() async throws {
        let chosen = parts.isEmpty ? EnginePart.usual : parts
        for part in chosen {
            switch part {
            case .prompts:
                try EnginePasses(folder: model, threads: threads)
                    .prompts(of: prompts.isEmpty ? [128, 512, 2048] : prompts)
            case .decode: try EnginePasses(folder: model, threads: threads).decode()
            case .contexts:
                try EngineContexts(model: PhiModel(folder: model), threads: threads).run()
            case .turns: try await EngineTurns(model: load(), threads: threads, turns: turns).run()
            case .conversations:
                try await EngineConversations(model: load(), threads: threads).run()
            case .longPrompt: try await EngineLongPrompt(model: load(), threads: threads).run()
            case .restart: try await EngineRestart(model: load(), threads: threads).run()
            case .drafts: try await EngineDrafts(model: load(), threads: threads).run()
            case .adapters:
                let passes = try EnginePasses(folder: model, threads: threads)
                if let adapter { try passes.adapters(adapter) }
            case .neighbours:
                let other = try beside.map { try LoadedModel.load(folder: $0) }
                let first = try load()
                try await EngineNeighbours(models: (first, other ?? first), threads: threads).run()
            case .answers: try EngineAnswers(model: load(), count: runs).run()
            }
        }
    }

    private func load() throws -> LoadedModel {
        let start = ContinuousClock.now
        let loaded = try LoadedModel.load(folder: model)
        report("engine_load_ms", (ContinuousClock.now - start).inSeconds * 1000)
        return loaded
    }
}
