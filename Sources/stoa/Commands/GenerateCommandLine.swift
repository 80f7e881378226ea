// `stoa generate`: the engine alone, without server and database. The text goes to standard output as it
// grows, the figures to standard error.

import ArgumentParser
import ChatServer
import FoundationEssentials
import Inference
import Tokenizers

struct GenerateCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Let the model answer once, without a server.",
        discussion: """
            The text goes to standard output as it grows, figures go to standard error. Exit codes: \
            64 wrong usage, 65 malformed messages or a prompt that is too long, 66 a model folder \
            that is missing or damaged, 70 a failed engine.
            """
    )

    @Option(help: ArgumentHelp("What to say to the model.", valueName: "TEXT"))
    var prompt: String?

    @Option(
        help: ArgumentHelp(
            "A file with a JSON array of {\"role\", \"content\"}; - for standard input.",
            valueName: "FILE"
        )
    )
    var messages: String?

    @Option(help: ArgumentHelp("What the model is told first.", valueName: "TEXT"))
    var system: String?

    @Option(
        help: ArgumentHelp("The model's folder. (default: the demo model)", valueName: "FOLDER")
    )
    var model: String?

    @Option(help: "Sampling temperature, 0 to 2; 0 always takes the likeliest token.")
    var temperature = 0.0

    @Option(help: "The longest answer, in tokens.")
    var maxTokens = 1024

    @Option(help: "The same seed gives the same answer to the same prompt.")
    var seed: UInt64?

    func validate() throws {
        guard (prompt == nil) != (messages == nil) else {
            throw ValidationError("give either --prompt or --messages")
        }
        guard (0...2).contains(temperature) else {
            throw ValidationError("--temperature: “\(temperature)” is not a number from 0 to 2")
        }
        guard (1...1_000_000).contains(maxTokens) else {
            throw ValidationError(
                "--max-tokens: “\(maxTokens)” is not a whole number from 1 to 1000000"
            )
        }
    }

    func run() throws {
        let conversation = try conversation()
        do throws(EngineError) {
            let loaded = try LoadedModel.load(folder: try modelFolder())
            try generate(conversation, with: loaded)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func generate(
        _ conversation: [ChatMessage],
        with loaded: LoadedModel
    ) throws(EngineError) {
        let sampling: SamplingParameters
        do {
            sampling = try SamplingParameters(temperature: temperature, seed: seed)
        } catch {
            throw .invalidRequest("\(error)")
        }
        let completion = try loaded.generate(
            messages: conversation,
            sampling: sampling,
            maxNewTokens: maxTokens
        ) { StandardStreams.write($0) }
        StandardStreams.print("")
        StandardStreams.printError(Self.figures(completion))
    }

    private func conversation() throws(CommandFailure) -> [ChatMessage] {
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

    private func modelFolder() throws(EngineError) -> String {
        if let model { return model }
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

    /// Such as "stop: 12 prompt tokens, 34 tokens, first after 56 ms, 78.9 tokens/s".
    private static func figures(_ completion: Completion) -> String {
        var text = "\(completion.finish): \(completion.promptTokens) prompt tokens, "
        text += "\(completion.completionTokens) tokens"
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
    /// What an engine's failure means to a shell.
    init(_ error: EngineError) {
        let status: Status =
            switch error {
            case .modelMissing, .modelDamaged, .modelUnsupported: .noInput
            case .promptTooLong, .invalidRequest: .dataError
            case .invalidConfiguration: .configuration
            case .busy: .temporary
            case .shutDown, .modelBroken, .outOfMemory, .noThread: .software
            }
        self.init(status, "\(error)")
    }
}
