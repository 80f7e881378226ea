// The engine alone, on one model: passes through its weights beside the machine's limits, and what those
// who share it notice. Benchmarks/engine.sh runs this three times, in turn with other engines.

import ArgumentParser
import Inference

/// What of the engine is measured.
enum EnginePart: String, ExpressibleByArgument, CaseIterable {
    /// Prompts of 128, 512 and 2,048 tokens, beside the processor's multiply-adds.
    case prompts
    /// 1, 2, 4, 8 and 16 sequences that grow together, beside the memory's speed.
    case decode
    /// A conversation's second and last turn, and the last one without what was read before.
    case turns
    /// Eight conversations at once.
    case crowd
    /// Answers that grow while a prompt of 2,000 tokens is read.
    case longPrompt = "long-prompt"
    /// A conversation of 2,000 tokens after a restart, from the disk and read anew.
    case comingBack = "coming-back"
    /// An answer that goes in circles, with drafts and without.
    case drafts
    /// Answers one by one, through the chat template.
    case answers

    /// What is measured where nothing is chosen: all that random weights are good for.
    static let usual: [EnginePart] = [
        .prompts, .decode, .turns, .crowd, .longPrompt, .comingBack, .drafts,
    ]
}

struct EngineBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Measure a model's engine, without server and database."
    )

    @Option(help: "The model's folder.") var model: String
    @Option(name: .customLong("part"), help: "What to measure; may be repeated. All but answers.")
    var parts: [EnginePart] = []
    @Option(help: "Threads that share a pass.") var threads = EngineConfiguration.threadsDefault
    @Option(help: "Turns of the conversation.") var turns = 20
    @Option(help: "Answers of --part answers.") var runs = 5

    func validate() throws {
        guard turns > 1, runs > 0 else {
            throw ValidationError("takes two turns or more, and one answer or more")
        }
    }

    func run() async throws {
        let chosen = parts.isEmpty ? EnginePart.usual : parts
        for part in chosen {
            switch part {
            case .prompts: try EnginePasses(folder: model, threads: threads).prompts()
            case .decode: try EnginePasses(folder: model, threads: threads).decode()
            case .turns: try await EngineTurns(model: load(), threads: threads, turns: turns).run()
            case .crowd: try await EngineCrowd(model: load(), threads: threads).run()
            case .longPrompt: try await EngineLongPrompt(model: load(), threads: threads).run()
            case .comingBack: try await EngineReturn(model: load(), threads: threads).run()
            case .drafts: try await EngineDrafts(model: load(), threads: threads).run()
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
