// An adapter in the settings: a folder, and words of the form NAME=VALUE.

import Inference

/// An adapter, as an administrator names it.
package struct AdapterSetting: Sendable, Hashable {
    /// The folder with adapter_config.json and the matrices.
    package var folder: String
    /// The name of the model that it changes, for clients; empty for the first model.
    package var base = ""
    /// The name of the changed model for clients.
    package var name: String

    /// Parses the form `FOLDER [of=MODEL] [as=NAME]`.
    /// - Throws: `SettingFault` for the first word that is wrong.
    package init(_ text: String) throws(SettingFault) {
        let words = text.split(separator: " ")
        guard let first = words.first, !first.contains("=") else {
            throw SettingFault("does not begin with an adapter's folder")
        }
        folder = String(first)
        name = LoadedModel.name(of: folder)
        for word in words.dropFirst() {
            guard let equals = word.firstIndex(of: "="), word.index(after: equals) < word.endIndex
            else { throw SettingFault("has “\(word)”, where NAME=VALUE should stand") }
            let value = String(word[equals...].dropFirst())
            switch word[..<equals] {
            case "of": base = value
            case "as": name = value
            case let other:
                throw SettingFault("has “\(other)=”, which is not a setting of an adapter")
            }
        }
    }

    /// Whether it changes the model with this name, or that of the first one.
    func changes(_ model: String) -> Bool { base.isEmpty || base == model }
}

extension SettingForm where Value == [AdapterSetting] {
    /// Adapters separated by commas.
    static let adapters = SettingForm(
        placeholder: "ADAPTER",
        text: { _ in "" },
        parse: { text throws(SettingFault) in
            var adapters: [AdapterSetting] = []
            for part in text.split(separator: ",") {
                adapters.append(try AdapterSetting(String(part)))
            }
            return adapters
        },
        isList: true
    )
}
