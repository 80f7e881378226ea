// A setting's name, form and help text, and the property that it sets. Its value is always text: an
// option's argument, an environment variable, or a line of the configuration file.

/// A setting of the server.
public struct Setting: Sendable {
    /// Its name, such as `data-dir`: the key in the configuration file.
    public let name: String
    /// The placeholder for its value in help texts, such as `FOLDER`.
    public let placeholder: String
    /// A sentence for people, without a full stop.
    public let help: String
    /// The default, as in help texts.
    public let defaultText: String
    /// Whether messages must not contain the value.
    public let isSecret: Bool
    /// Whether it is a list: several values separated by commas, or a repeated option.
    public let isList: Bool

    private let read: @Sendable (String, inout ServerSettings) throws(SettingFault) -> Void

    /// The command line option, such as `--data-dir`.
    public var flag: String { "--\(name)" }

    /// The environment variable, such as `STOA_DATA_DIR`.
    public var environmentVariable: String {
        "STOA_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    init<Value: Sendable>(
        _ property: any WritableKeyPath<ServerSettings, Value> & Sendable,
        _ name: String,
        _ form: SettingForm<Value>,
        placeholder: String? = nil,
        defaultText: String? = nil,
        isSecret: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.placeholder = placeholder ?? form.placeholder
        self.help = help
        self.defaultText = defaultText ?? form.text(ServerSettings()[keyPath: property])
        self.isSecret = isSecret
        isList = form.isList
        read = { (text, settings) throws(SettingFault) in
            settings[keyPath: property] = try form.parse(text)
        }
    }

    /// Parses `text` into its property.
    /// - Throws: `SettingFault` if the text is invalid.
    public func apply(
        _ text: String,
        to settings: inout ServerSettings
    ) throws(SettingFault) {
        try read(text, &settings)
    }
}
