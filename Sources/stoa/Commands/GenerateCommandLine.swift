// `stoa generate`: the engine alone, without server and database. Streams text to standard output, and
// prints statistics on standard error.

import ArgumentParser
import ChatServer
import FoundationEssentials
import Inference
import PhiModel
import TerminalText
import Tokenizers

struct GenerateCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate one answer, without a server.",
        discussion: """
            The answer goes to standard output, the statistics to standard error. --replay repeats a \
            run instead and compares the tokens. Exit status: 1 the replay differs, 64 usage error, 65 \
            malformed messages or a prompt that is too long, 66 model folder missing or damaged, 70 \
            engine failure.
            """
    )

    private static let ropeRules = RopeRule.allCases.map(\.rawValue)

    @Option(help: ArgumentHelp("User message.", valueName: "TEXT"))
    var prompt: String?

    @Option(
        help: ArgumentHelp(
            "Messages: a JSON array of {\"role\", \"content\"}; - for standard input.",
            valueName: "FILE"
        )
    )
    var messages: String?

    @Option(help: ArgumentHelp("System prompt.", valueName: "TEXT"))
    var system: String?

    @Option(
        help: ArgumentHelp(
            "\(ModelArgument.help) (default: the demo model)",
            valueName: "FOLDER"
        )
    )
    var model: String?

    @Option(
        help: ArgumentHelp(
            "Folder of a LoRA adapter of the model, of mlx-lm or PEFT.",
            valueName: "FOLDER"
        )
    )
    var adapter: String?

    @Option(help: "Sampling temperature, 0 to 2; 0 selects the most likely token.")
    var temperature = 0.0

    @Option(help: "Maximum length of the answer, in tokens.")
    var maxTokens = 1024

    @Option(
        help: "Maximum length of a reasoning model's thinking part, in tokens; 0 closes it at once."
    )
    var maxThinkingTokens: Int?

    @Option(help: "Sampling seed; the same prompt and seed give the same answer.")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            """
            LongRoPE factors: chosen for each run by its maximum length, or always the same ones; \
            mlx-lm uses always-long.
            """,
            valueName: ropeRules.joined(separator: "|")
        ),
        transform: { text in
            guard let rule = RopeRule(rawValue: text) else {
                throw ValidationError("it is not one of \(ropeRules.joined(separator: ", "))")
            }
            return rule
        }
    )
    var ropeRule = RopeRule.perRun

    @Option(
        help: ArgumentHelp(
            "File to write the run's receipt to, with the prompt tokens.",
            valueName: "FILE"
        )
    )
    var receipt: String?

    @Option(
        help: ArgumentHelp(
            """
            Receipt of a run to repeat. One without prompt tokens needs the same --messages.
            """,
            valueName: "FILE"
        )
    )
    var replay: String?

    func validate() throws {
        let sources = [prompt, messages].count { $0 != nil }
        guard sources == 1 || sources == 0 && replay != nil else {
            throw ValidationError("give either --prompt or --messages")
        }
        guard replay == nil || receipt == nil else {
            throw ValidationError("--replay writes no receipt: leave out --receipt")
        }
        guard (0...2).contains(temperature) else {
            throw ValidationError("--temperature: “\(temperature)” is not a number from 0 to 2")
        }
        guard (1...1_000_000).contains(maxTokens) else {
            throw ValidationError(
                "--max-tokens: “\(maxTokens)” is not a whole number from 1 to 1000000"
            )
        }
        if let maxThinkingTokens, !(0...1_000_000).contains(maxThinkingTokens) {
            throw ValidationError(
                "--max-thinking-tokens: “\(maxThinkingTokens)” is not a whole number from 0 to 1000000"
            )
        }
    }

    func run() throws {
        if let replay { return try replayRun(replay) }
        let conversation = try conversation()
        let completion: Completion
        do throws(EngineError) {
            let loaded = try LoadedModel.load(folder: try modelFolder())
            completion = try generate(conversation, with: loaded)
        } catch {
            throw CommandFailure(error)
        }
        StandardStreams.printError("\(Self.figures(completion))")
        if let receipt, let written = completion.receipt {
            try ReceiptFile.write(written, to: receipt)
        }
    }

    /// The adapter for the model; nil for none.
    func loadedAdapter(for loaded: LoadedModel) throws(EngineError) -> LoadedAdapter? {
        guard let adapter else { return nil }
        return try LoadedAdapter.load(folder: adapter, for: loaded)
    }

    private func generate(
        _ conversation: [ChatMessage],
        with loaded: LoadedModel
    ) throws(EngineError) -> Completion {
        let sampling: SamplingParameters
        do {
            sampling = try SamplingParameters(temperature: temperature, seed: seed)
        } catch {
            throw .invalidRequest("\(error)")
        }
        let tokens = loaded.template.encode(conversation, addGenerationPrompt: true).tokens
        var request = GenerationRequest(
            id: 1,
            prompt: tokens,
            sampling: sampling,
            maxNewTokens: maxTokens,
            ropeRule: ropeRule
        )
        request.thinkingTokensMax = maxThinkingTokens
        request.adapter = try loadedAdapter(for: loaded)
        var output = TextOutput()
        var completion = try loaded.generate(request) { output.write($0) }
        StandardStreams.print("")
        completion.receipt?.prompt.ids = tokens
        return completion
    }

    func conversation() throws(CommandFailure) -> [ChatMessage] {
        var conversation: [ChatMessage] = []
        if let prompt { conversation = [ChatMessage(role: "user", content: prompt)] }
        if let messages {
            conversation = try MessagesInput.parse(try MessagesInput.read(from: messages))
        }
        if let system, conversation.first?.role != "system" {
            conversation.insert(ChatMessage(role: "system", content: system), at: 0)
        }
        return conversation
    }

    func modelFolder() throws(EngineError) -> String {
        if let model {
            do throws(StartupError) { return try ModelArgument.path(model) } catch {
                throw .modelMissing(folder: model, reason: "\(error)")
            }
        }
        let environment = ProcessInfo.processInfo.environment
        do {
            let data = try ServerSettings.standardDataDirectory(environment: environment)
            return try DemoModel.folder(in: "\(data)/models")
        } catch {
            throw .modelMissing(
                folder: DemoModel.name,
                reason: "the demo model cannot be written (\(error)): name a folder with --model"
            )
        }
    }

    /// For example "stop: 12 prompt tokens, 34 tokens, first after 56 ms, 78.9 tokens/s".
    private static func figures(_ completion: Completion) -> String {
        var text = "\(completion.finish): \(completion.promptTokens) prompt tokens, "
        text += "\(completion.completionTokens) tokens"
        if let thinking = completion.thinkingTokens { text += " (\(thinking) of thinking)" }
        if let first = completion.timeToFirstToken {
            text += ", first after \(Int((first / .milliseconds(1)).rounded())) ms"
        }
        if let pace = completion.tokensPerSecond {
            text += ", \((pace * 10).rounded() / 10) tokens/s"
        }
        return text
    }
}

extension CommandFailure {
    /// Maps an engine's error to an exit code.
    init(_ error: EngineError) {
        let status: Status =
            switch error {
            case .modelMissing, .modelDamaged, .modelUnsupported: .noInput
            case .promptTooLong, .invalidRequest: .dataError
            case .invalidConfiguration, .unknownKernels: .configuration
            case .busy, .remote: .temporary
            case .shutDown, .modelBroken, .outOfMemory, .noThread: .software
            }
        self.init(status, "\(error)")
    }
}
