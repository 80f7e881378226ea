// `stoa model info`.

import ArgumentParser

/// Describes a model folder.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what a model folder holds: sizes, types, template, memory, hashes.",
        discussion: """
            Parts that the folder has not are left out, so a folder without weights is described too. \
            Exit code 66 where config.json is missing or a file is damaged.
            """
    )

    @Argument(help: "The model's folder.")
    var folder: String

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let info = try ModelInfo(folder: folder)
        guard !json else { return try JSONOutput.print(info) }
        for line in info.lines { StandardStreams.print(line) }
    }
}
