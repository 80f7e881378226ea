// An option for each setting. ArgumentParser finds the options of a type by reflection, so this one shows
// it the list of settings: a new setting is an option of every command that takes settings, accepted before
// and behind other arguments, with the parser's own messages for what is misspelt or lacks a value.

import ArgumentParser
import ChatServer

/// The settings of a command line.
struct SettingOptions: ParsableArguments, CustomReflectable {
    /// Those that a command's own help lists; `stoa help settings` has all.
    private static let listed = ["data-dir"]

    /// The values that were given, by the settings' names, in the order of the command line.
    private(set) var values: [String: [String]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for setting in ServerSettings.definitions {
            let option = try container.decode(Option<[String]>.self, forKey: Key(setting.name))
            if !option.wrappedValue.isEmpty { values[setting.name] = option.wrappedValue }
        }
    }

    var customMirror: Mirror {
        Mirror(
            self,
            children: ServerSettings.definitions.map { setting in
                (label: setting.name, value: Self.option(of: setting))
            }
        )
    }

    private static func option(of setting: Setting) -> Option<[String]> {
        Option(
            wrappedValue: [],
            name: .customLong(setting.name),
            help: ArgumentHelp(
                "\(setting.help). [\(setting.environmentVariable)]",
                valueName: setting.placeholder,
                visibility: listed.contains(setting.name) ? .default : .hidden
            )
        )
    }

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ name: String) { stringValue = name }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
