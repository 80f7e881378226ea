// Combines the settings of the command line, the environment and the config file.

package import ArgumentParser
package import ChatServer
import FoundationEssentials

/// The settings of a command, from all sources.
package struct SettingsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Config file, a JSON object of settings by name. [\(SettingsLoader.configVariable)]",
            valueName: "FILE"
        )
    )
    var config: String?

    @OptionGroup var options: SettingOptions

    package init() {}

    /// The help text about settings.
    static let help = """
        Takes settings as options, such as --data-dir FOLDER, from the environment and from a config \
        file: “stoa help settings” lists them.
        """

    /// Reads all settings: options, then environment, then file.
    /// - Throws: `ValidationError` for an invalid command line, `StartupError` for an invalid value
    ///   elsewhere.
    func read() throws -> ServerSettings {
        do throws(SettingError) {
            return try load(environment: ProcessInfo.processInfo.environment)
        } catch  where error.isUsageError {
            throw ValidationError(error.description)
        } catch {
            throw StartupError(.configuration, error.description)
        }
    }

    /// The path of the config file that `read` uses; nil if there is none.
    /// - Throws: `SettingError` if the file cannot be read.
    func configPath() throws(SettingError) -> String? {
        try loader(environment: ProcessInfo.processInfo.environment).file()?.path
    }

    /// Reads all settings, with the given environment.
    /// - Throws: `SettingError`, one line that names the setting and its location.
    package func load(environment: [String: String]) throws(SettingError) -> ServerSettings {
        try loader(environment: environment).load()
    }

    /// Reads the settings, as often as it is called.
    func loader(environment: [String: String]) -> SettingsLoader {
        SettingsLoader(options: options.values, configFile: config, environment: environment)
    }
}

/// A command that takes all settings.
package protocol SettingsTaking: ParsableCommand {
    /// Its settings.
    var arguments: SettingsArguments { get }
}
