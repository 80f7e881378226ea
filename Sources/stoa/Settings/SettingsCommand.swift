// `stoa settings`; `stoa help settings` prints the same.

import ArgumentParser

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
        StandardStreams.write(markdown ? SettingsReference.markdown : SettingsReference.text)
    }
}
