// `stoa replay`: rebuilds an answer's prompt from the database, byte for byte.

import ArgumentParser
import ChatCore
import ChatProtocol
import ChatServer
import Checkpoints
import Inference
import TerminalText
import Tokenizers

struct ReplayCommandLine: AsyncParsableCommand, SettingsTaking {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Rebuild the prompt of an answer from the database.",
        discussion: """
            Prints the prompt, and says on standard error whether its hash is the one in the answer's \
            receipt. --run generates the answer again instead and compares the tokens. Works with or \
            without a running server. Exit status: 0 the same, 1 different, 65 no such answer, 66 \
            model not found, 69 no database.

            \(SettingsArguments.help)
            """
    )

    /// The output format of a prompt.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, ids
    }

    @Argument(help: "ID of the answer.")
    var message: String

    @Option(help: "Print the prompt as text or as token IDs.")
    var format = Format.text

    @Flag(name: .customLong("run"), help: "Generate the answer again and compare it.")
    var generatesAgain = false

    @OptionGroup var arguments: SettingsArguments

    func validate() throws {
        guard MessageID(message) != nil else {
            throw ValidationError("“\(TerminalSanitizer.clean(message))” is not an id")
        }
    }

    func run() async throws {
        guard let id = MessageID(message) else { return }
        let settings = try arguments.read()
        let rebuilt = try await ReplayCommand.read(
            id,
            settings: settings,
            logger: LogSetup.logger(settings)
        )
        let model = try ReplayCommand.model(of: rebuilt, settings: settings)
        let tokens = rebuilt.tokens(model)
        if !generatesAgain {
            switch format {
            case .text:
                var output = TextOutput()
                output.write(rebuilt.text(model))
            case .ids: StandardStreams.print("\(tokens.map(String.init).joined(separator: " "))")
            }
        }
        guard let receipt = rebuilt.receipt.run else {
            StandardStreams.printError(
                "\(tokens.count) tokens; the receipt has no hash, as no engine finished the run"
            )
            return
        }
        try compare(tokens, with: receipt)
        if generatesAgain {
            try generate(receipt, tokens, model.folder, settings.adapters.map(\.folder))
        }
    }

    /// Compares the hash of the tokens with the receipt's.
    private func compare(_ tokens: [TokenID], with receipt: RunReceipt) throws {
        let hash = RunReceipt.Prompt.hash(of: tokens)
        guard hash == receipt.prompt.hash else {
            throw CommandFailure(
                .difference,
                "the prompt differs: \(tokens.count) tokens with SHA-256 \(hash), the receipt has "
                    + "\(receipt.prompt.tokens) with \(receipt.prompt.hash)"
            )
        }
        StandardStreams.printError(
            "the same prompt: \(tokens.count) tokens with SHA-256 \(hash)"
        )
    }

    /// Repeats the run, and prints the result on standard output.
    private func generate(
        _ receipt: RunReceipt,
        _ tokens: [TokenID],
        _ folder: String,
        _ adapterFolders: [String]
    ) throws {
        let replay: RunReplay
        do throws(EngineError) {
            let loaded = try LoadedModel.load(folder: folder)
            // Those of other models cannot be loaded for this one.
            let adapter = receipt.adapter.flatMap { wanted in
                adapterFolders.lazy
                    .compactMap { try? LoadedAdapter.load(folder: $0, for: loaded) }
                    .first { $0.identity.hash == wanted.hash }
            }
            for sentence in receipt.differences(from: loaded, adapter: adapter) {
                StandardStreams.printError("note: \(sentence)")
            }
            replay = try loaded.replay(receipt, prompt: tokens, adapter: adapter)
            StandardStreams.print("\(replay.line(loaded.tokenizer))")
        } catch {
            throw CommandFailure(error)
        }
        if case .differs = replay { throw CommandFailure(.difference, "") }
    }
}
