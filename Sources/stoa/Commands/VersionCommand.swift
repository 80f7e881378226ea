// `stoa version`: a command, beside the `--version` option.

import ArgumentParser
import TerminalText

/// `stoa version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version.",
        // The help lists --version.
        shouldDisplay: false
    )

    func run() {
        StandardStreams.print("\(Stoa.configuration.version)")
    }
}
