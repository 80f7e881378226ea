// Where settings come from: flags, then the environment, then the config file.

package import ChatServer
import Configuration
import FoundationEssentials

/// Reads the server's settings from their sources.
package struct SettingsLoader {
    /// The environment's name for the config file.
    package static let configVariable = "STOA_CONFIG"
    /// The config file of the whole machine.
    package static let systemFile = "/etc/stoa/stoa.json"
    private static let fileName = "stoa.json"

    private let arguments: [String]
    private let configFile: String?
    private let environment: [String: String]

    /// - Parameters:
    ///   - arguments: the flags with their values, as they were given.
    ///   - configFile: the file that the command line named.
    ///   - environment: the process' environment.
    package init(arguments: [String], configFile: String?, environment: [String: String]) {
        self.arguments = arguments
        self.configFile = configFile
        self.environment = environment
    }

    /// Reads all settings.
    /// - Throws: `SettingError`, one line that names the setting and where it stands.
    package func load() throws(SettingError) -> ServerSettings {
        let flags = try flags()
        var sources = [
            SettingSource(isCommandLine: true, placeName: \.flag) { flags[$0.name] },
            environmentSource,
        ]
        if let file = try file(flags: flags) { sources.append(file.source) }
        return try ServerSettings(sources: sources, environment: environment)
    }

    /// The flags' values by the settings' names. Of several the last counts; those of a list come
    /// together.
    private func flags() throws(SettingError) -> [String: String] {
        let known = Dictionary(
            uniqueKeysWithValues: ServerSettings.definitions.map { ($0.flag, $0) }
        )
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let flag = String(parts[0])
            guard let setting = known[flag] else {
                throw SettingError("there is no setting \(flag)", isUsageError: true)
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw SettingError("\(flag) needs a value", isUsageError: true)
            }
            let before = setting.isList ? values[setting.name].map { "\($0)," } : nil
            values[setting.name] = (before ?? "") + value
        }
        return values
    }

    private var environmentSource: SettingSource {
        let provider = EnvironmentVariablesProvider(environmentVariables: environment)
        return SettingSource(placeName: \.environmentVariable) { setting in
            let key = AbsoluteConfigKey(["stoa", setting.name])
            let found = try? provider.value(forKey: key, type: .string).value
            if case .string(let text)? = found?.content { return text }
            return nil
        }
    }

    /// The file that was named, or else the first of the usual ones that is there.
    private func file(flags: [String: String]) throws(SettingError) -> ConfigFile? {
        if let named = configFile ?? environment[Self.configVariable], !named.isEmpty {
            guard let file = try ConfigFile(path: named) else {
                throw SettingError("\(named): there is no such config file")
            }
            return file
        }
        var folder = flags["data-dir"] ?? environment["STOA_DATA_DIR"]
        if folder == nil {
            folder = try ServerSettings.standardDataDirectory(environment: environment)
        }
        for path in ["\(folder ?? "")/\(Self.fileName)", Self.systemFile] {
            if let file = try ConfigFile(path: path) { return file }
        }
        return nil
    }
}
