// One setting's name, form and help, and the property that it fills. Its value is always text: a flag's
// argument, an environment variable, or what stands in the config file.

/// A setting of the server.
public struct Setting: Sendable {
    /// Its name, such as `data-dir`: the key in the config file.
    public let name: String
    /// What stands for the value in help texts, such as `FOLDER`.
    public let placeholder: String
    /// One sentence for people, without a full stop.
    public let help: String
    /// The default, as help texts give it.
    public let defaultText: String
    /// Whether a message must not repeat the value.
    public let isSecret: Bool
    /// Whether it holds a list: several values with commas between them, or its flag several times.
    public let isList: Bool

    private let read: @Sendable (String, inout ServerSettings) throws(SettingFault) -> Void

    /// The command line's name, such as `--data-dir`.
    public var flag: String { "--\(name)" }

    /// The environment's name, such as `STOA_DATA_DIR`.
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

    /// Reads `text` into its property.
    /// - Throws: `SettingFault` where the text is not of the setting's form.
    public func apply(
        _ text: String,
        to settings: inout ServerSettings
    ) throws(SettingFault) {
        try read(text, &settings)
    }
}
