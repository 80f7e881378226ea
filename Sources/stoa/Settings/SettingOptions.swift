// An option for each setting. ArgumentParser finds a type's options by reflection, so `customMirror`
// presents the list of settings: a new setting becomes an option of every command that takes settings,
// accepted before and after other arguments, with the parser's own messages for unknown options and
// missing values.

import ArgumentParser
import ChatServer

/// The settings on a command line.
struct SettingOptions: ParsableArguments, CustomReflectable {
    /// The settings in a command's own help; `stoa help settings` lists all.
    private static let listed = ["data-dir"]

    /// The given values by setting, in command line order.
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
