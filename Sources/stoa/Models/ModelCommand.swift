// `stoa model`: the list of its commands, one file each in this folder.

import ArgumentParser

/// Commands on model files, which need no server.
struct ModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Fetch and inspect models.",
        subcommands: [
            PullCommand.self, ListCommand.self, InfoCommand.self, VerifyCommand.self,
            RemoveCommand.self, TokenizeCommand.self, DetokenizeCommand.self, RenderCommand.self,
            LogitsCommand.self,
        ]
    )
}
