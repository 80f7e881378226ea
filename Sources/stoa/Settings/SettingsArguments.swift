// The flags of all settings, read against the one list of them, so that a new setting is a flag, an
// environment variable and a key of the file at once.

import ArgumentParser
import ChatServer
import FoundationEssentials

/// The settings of a command, with all that may name them.
struct SettingsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Config file, a JSON object of settings by name. [\(SettingsLoader.configVariable);"
                + " default: stoa.json in the data directory, then \(SettingsLoader.systemFile)]",
            valueName: "FILE"
        )
    )
    var config: String?

    @Argument(parsing: .allUnrecognized, help: "Settings, as listed above.")
    var settings: [String] = []

    /// The list of settings, for a command's help.
    static let help: String = {
        var text =
            "Settings, as flags, as environment variables, or as keys of the config file; the "
        text += "first of these that names one counts.\n"
        for setting in ServerSettings.definitions {
            let defaultText = setting.defaultText.isEmpty ? "none" : setting.defaultText
            text += "\n  \(setting.flag) \(setting.placeholder)\n      \(setting.help).\n"
            text += "      \(setting.environmentVariable); default: \(defaultText)\n"
        }
        return text
    }()

    /// Reads all settings: flags, then environment, then file.
    /// - Throws: `ValidationError` for a fault of the command line, `StartupError` for one elsewhere.
    func read() throws -> ServerSettings {
        let loader = SettingsLoader(
            arguments: settings,
            configFile: config,
            environment: ProcessInfo.processInfo.environment
        )
        do throws(SettingError) {
            return try loader.load()
        } catch  where error.isUsageError {
            throw ValidationError(error.description)
        } catch {
            throw StartupError(.configuration, error.description)
        }
    }
}
