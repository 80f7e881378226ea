// `stoa version`: a command, beside the `--version` option.

import ArgumentParser

/// `stoa version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version."
    )

    func run() {
        print(Stoa.configuration.version)
    }
}
