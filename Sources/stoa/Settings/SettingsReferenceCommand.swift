// docs/reference/settings.md, written from the list of settings; a test compares them.

package import ArgumentParser
import ChatServer

/// `stoa settings-reference`, which help texts do not list.
package struct SettingsReferenceCommand: ParsableCommand {
    /// Not listed.
    package static let configuration = CommandConfiguration(
        commandName: "settings-reference",
        abstract: "Print docs/reference/settings.md.",
        shouldDisplay: false
    )

    /// For the parser.
    package init() {}

    /// Prints the page.
    package func run() {
        StandardStreams.write(Self.markdown)
    }

    /// The page.
    package static var markdown: String {
        let rows = ServerSettings.definitions.map { setting in
            let cells = [
                "`\(setting.flag) \(setting.placeholder)`", "`\(setting.environmentVariable)`",
                setting.defaultText.isEmpty ? "" : setting.defaultText, setting.help,
            ]
            return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")
                + " |"
        }
        return """
            # Settings

            Written by `stoa settings-reference` from the list in
            `Sources/ChatServer/Settings/ServerSettings+Definitions.swift`; a test compares them.

            A setting is looked up in this order; the first that has it counts:

            1. the flag of `stoa serve` (also of `stoa user add` and `stoa migrate`);
            2. the environment variable;
            3. the config file, a JSON object whose keys are the flags' names without `--`, such as
               `{"port": 8081, "model": "/srv/phi-4-mini"}`;
            4. the default.

            The config file is the one that `--config FILE` or `\(SettingsLoader.configVariable)` names,
            or else the first that exists of `stoa.json` in the data directory and
            `\(SettingsLoader.systemFile)`.
            A value that cannot be used ends the program with one line that says where it stands, and
            exit code 64 for a flag, 78 for anything else.

            | flag | environment | default | what it is |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }
}
