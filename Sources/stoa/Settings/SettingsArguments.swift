// The flags of all settings, read against the one list of them, so that a new setting is a flag, an
// environment variable and a key of the file at once.

import ArgumentParser
import ChatServer
import Configuration
import FoundationEssentials
import SystemPackage

/// The settings of a command, with all that may name them.
struct SettingsArguments: ParsableArguments {
    @Option(help: "A config file in JSON; else stoa.json in the data directory, or /etc/stoa.")
    var config: String?

    @Argument(parsing: .allUnrecognized, help: "Settings, as listed above.")
    var settings: [String] = []

    /// The list of settings, for a command's help.
    static let help: String = {
        var text =
            "Settings, as flags, as environment variables, or as keys of the config file; the "
        text += "first of these that names one counts.\n"
        for setting in ServerSettings.definitions {
            text += "\n  \(setting.flag) \(setting.placeholder)\n      \(setting.help).\n"
            text += "      \(setting.environmentVariable); default: \(setting.defaultText)\n"
        }
        return text
    }()

    /// Reads all settings: flags, then environment, then file.
    /// - Throws: `ValidationError` for a flag that is none, `StartupError` for a value that is wrong.
    func read() async throws -> ServerSettings {
        let environment = ProcessInfo.processInfo.environment
        let flags = try Self.flags(settings)
        let sources = [
            SettingSource(isCommandLine: true, placeName: \.flag) { flags[$0.name] },
            SettingSource(placeName: \.environmentVariable) { setting in
                environment[setting.environmentVariable]
            },
        ]
        do {
            let named = try ServerSettings(sources: sources, environment: environment)
            guard let file = try await file(named) else { return named }
            return try ServerSettings(sources: sources + [file], environment: environment)
        } catch let error as SettingError where error.isUsageError {
            throw ValidationError(error.description)
        } catch let error as SettingError {
            throw StartupError(.configuration, error.description)
        }
    }

    /// The flags' texts by the settings' names.
    private static func flags(_ arguments: [String]) throws -> [String: String] {
        let names = Set(ServerSettings.definitions.map(\.flag))
        var texts: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let flag = String(parts[0])
            guard names.contains(flag) else {
                throw ValidationError("there is no setting \(argument)")
            }
            guard let text = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw ValidationError("\(flag) needs a value")
            }
            texts[String(flag.dropFirst(2))] = text
        }
        return texts
    }

    /// The config file as a source; nil where there is none.
    private func file(_ settings: ServerSettings) async throws -> SettingSource? {
        let usual = ["\(settings.dataDirectory)/stoa.json", "/etc/stoa/stoa.json"]
        guard let path = config ?? usual.first(where: FileManager.default.fileExists(atPath:))
        else {
            return nil
        }
        let provider: FileProvider<JSONSnapshot>
        do {
            provider = try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
        } catch {
            throw StartupError(.configuration, "the config file \(path) cannot be read: \(error)")
        }
        let reader = ConfigReader(provider: provider)
        return SettingSource(placeName: { "\(path): \($0.name)" }) { setting in
            let key = ConfigKey([setting.name])
            // A number may stand in the file without quotes.
            return reader.string(forKey: key) ?? reader.int(forKey: key).map(String.init)
                ?? reader.double(forKey: key).map { "\($0)" }
        }
    }
}
