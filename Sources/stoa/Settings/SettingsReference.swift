// Renders the list of settings for a terminal and for docs/reference/settings.md; a test compares the
// page.

import ArgumentParser
import ChatServer

/// Renders the list of settings.
package enum SettingsReference {
    private static let width = 79

    /// The list for a terminal.
    static let text: String = {
        let introduction = wrapped(
            """
            A setting is looked up as an option of the command, then in the environment, then in the \
            config file, a JSON object of settings by name. That is the file that --config or \
            \(SettingsLoader.configVariable) names, or else stoa.json in the data directory, or else \
            \(SettingsLoader.systemFile).
            """,
            indentation: 0
        )
        let entries = ServerSettings.definitions.map { setting in
            let defaultText = setting.defaultText.isEmpty ? "none" : setting.defaultText
            return """
                  \(setting.flag) \(setting.placeholder)
                \(wrapped("\(setting.help).", indentation: 6))
                \(wrapped("\(setting.environmentVariable); default: \(defaultText)", indentation: 6))

                """
        }
        return ([introduction, ""] + entries).joined(separator: "\n")
    }()

    /// The page in Markdown.
    package static var markdown: String {
        let rows = ServerSettings.definitions.map { setting in
            let cells = [
                "`\(setting.flag) \(setting.placeholder)`", "`\(setting.environmentVariable)`",
                setting.defaultText, setting.help,
            ]
            return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")
                + " |"
        }
        return """
            # Settings

            `stoa help settings` prints this list in a terminal. Both are generated from
            `Sources/ChatServer/Settings/ServerSettings+Definitions.swift` (`stoa settings --markdown`).

            A setting is looked up in this order; the first place that has it wins:

            1. an option of the command, before or behind its other arguments. These commands take all settings:
               \(commands.joined(separator: ", "));
            2. the environment variable;
            3. the config file, a JSON object whose keys are the options' names without `--`, such as
               `{"port": 8081, "model": "/srv/phi-4-mini"}`;
            4. the default.

            The config file is the one that `--config FILE` or `\(SettingsLoader.configVariable)` names, or else the
            first that exists of `stoa.json` in the data directory and `\(SettingsLoader.systemFile)`.
            An invalid value ends the program with one line that says where it stands, and exit code 64 for
            an option, 78 for anything else.

            | option | environment | default | meaning |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    /// The commands that take settings, for example "`serve`".
    private static var commands: [String] {
        func below(_ type: any ParsableCommand.Type, _ name: String) -> [String] {
            guard !(type is any SettingsTaking.Type) else { return ["`\(name)`"] }
            return type.configuration.subcommands.flatMap { command in
                below(
                    command,
                    name.isEmpty ? command._commandName : "\(name) \(command._commandName)"
                )
            }
        }
        return below(Stoa.self, "")
    }

    /// Lines of at most `width` columns, indented.
    private static func wrapped(_ text: String, indentation: Int) -> String {
        let margin = String(repeating: " ", count: indentation)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            let isFirst = line.count == indentation
            if !isFirst, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin + word
            } else {
                line += (isFirst ? "" : " ") + word
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
