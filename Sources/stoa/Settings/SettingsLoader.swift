// Where settings come from: flags, then the environment, then the config file.

import ChatServer
import Configuration
import FoundationEssentials

/// Reads the server's settings from their sources.
struct SettingsLoader {
    /// The environment's name for the config file.
    static let configVariable = "STOA_CONFIG"
    /// The config file of the whole machine.
    static let systemFile = "/etc/stoa/stoa.json"
    private static let fileName = "stoa.json"

    /// The values of the command line's options by the settings' names, in the order given.
    let options: [String: [String]]
    /// The file that the command line named.
    let configFile: String?
    /// The process' environment.
    let environment: [String: String]

    /// Reads all settings.
    /// - Throws: `SettingError`, one line that names the setting and where it stands.
    func load() throws(SettingError) -> ServerSettings {
        var sources = [optionSource, environmentSource]
        if let file = try file() { sources.append(file.source) }
        return try ServerSettings(sources: sources, environment: environment)
    }

    /// Of several values the last counts; those of a list come together.
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

    /// The file that was named, or else the first of the usual ones that is there.
    private func file() throws(SettingError) -> ConfigFile? {
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
