// `stoa settings`; `stoa help settings` prints the same.

import ArgumentParser
import TerminalText

/// `stoa settings`.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "List the server's settings.",
        discussion: SettingsReference.text
    )

    @Flag(help: "Print docs/reference/settings.md.")
    var markdown = false

    func run() {
        let text = markdown ? SettingsReference.markdown : SettingsReference.text
        StandardStreams.write("\(text)")
    }
}
