// The sources of settings: options, then the environment, then the config file.

import ChatServer
import Configuration
import FoundationEssentials

/// Reads the server's settings from their sources.
struct SettingsLoader: Sendable {
    /// The environment variable that names the config file.
    static let configVariable = "STOA_CONFIG"
    /// The system-wide config file.
    static let systemFile = "/etc/stoa/stoa.json"
    private static let fileName = "stoa.json"

    /// The command line's options by setting, in the given order.
    let options: [String: [String]]
    /// The config file named on the command line.
    let configFile: String?
    /// The process' environment.
    let environment: [String: String]

    /// Reads all settings.
    /// - Throws: `SettingError`, one line that names the setting and its location.
    func load() throws(SettingError) -> ServerSettings {
        var sources = [optionSource, environmentSource]
        if let file = try file() { sources.append(file.source) }
        return try ServerSettings(sources: sources, environment: environment)
    }

    /// Of several values the last one counts; a list takes all of them.
    private var optionSource: SettingSource {
        let options = options
        return SettingSource(isCommandLine: true, placeName: \.flag) { setting in
            guard let values = options[setting.name] else { return nil }
            return setting.isList ? values.joined(separator: ",") : values.last
        }
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

    /// The named config file, or else the first default one that exists.
    func file() throws(SettingError) -> ConfigFile? {
        if let named = configFile ?? environment[Self.configVariable], !named.isEmpty {
            guard let file = try ConfigFile(path: named) else {
                throw SettingError("\(named): there is no such config file")
            }
            return file
        }
        var folder = options["data-dir"]?.last ?? environment["STOA_DATA_DIR"]
        if folder == nil {
            folder = try ServerSettings.standardDataDirectory(environment: environment)
        }
        for path in ["\(folder ?? "")/\(Self.fileName)", Self.systemFile] {
            if let file = try ConfigFile(path: path) { return file }
        }
        return nil
    }
}
