// `stoa model info`.

import ArgumentParser
import TerminalText

/// Describes a model folder.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe a model folder or GGUF file: sizes, types, template, memory, hashes.",
        discussion: """
            Missing parts are left out; a folder without weights can be described, too. Exit status \
            66 if config.json is missing or a file is damaged.
            """
    )

    @Argument(help: "\(ModelArgument.help)")
    var folder: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let info = try ModelInfo(folder: folder)
        guard !json else { return try JSONOutput.print(info) }
        for line in info.lines { StandardStreams.print("\(line)") }
    }
}
