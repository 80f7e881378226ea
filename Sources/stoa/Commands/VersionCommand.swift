// `stoa version`: for scripts that prefer a command to a flag.

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
