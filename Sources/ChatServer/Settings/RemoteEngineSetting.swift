// A remote engine in the settings: a URL, and words of the form NAME=VALUE.

package import HTTPProtocol

/// A remote engine, as an administrator names it.
package struct RemoteEngineSetting: Sendable, Hashable {
    /// The base URL of its API, such as `http://gpu1:8000/v1`.
    package var base: HTTPURL
    /// The model's name there.
    package var model = ""
    /// The model's name for clients. Engines with the same one answer for one model.
    package var name = ""
    /// Its name in logs, metrics and receipts.
    package var label = ""
    /// A file with its key.
    package var keyFile: String?
    /// An environment variable with its key.
    package var keyVariable: String?
    /// A PEM file with the only certificates to trust.
    package var trustedFile: String?
    /// A folder with the model's tokenizer.json and template.
    package var tokenizer: String?
    /// Maximum number of answers that it is asked for at once.
    package var slots = 16
    /// Maximum tokens of prompt and answer together; nil for what the engine tells.
    package var contextLength: Int?
    /// Seconds to wait for a connection, the first token, and the next one.
    package var connectionSeconds = 5
    package var firstTokenSeconds = 120
    package var nextTokenSeconds = 30

    /// Parses the form `URL model=NAME [NAME=VALUE …]`.
    /// - Throws: `SettingFault` for the first word that is wrong.
    package init(_ text: String) throws(SettingFault) {
        guard text.unicodeScalars.allSatisfy({ $0.value >= 32 }) else {
            throw SettingFault("has control characters: separate its words by spaces")
        }
        let words = text.split(separator: " ")
        guard let first = words.first, let base = HTTPURL(String(first)),
            !first.contains(where: { "?#@".contains($0) })
        else { throw SettingFault("does not begin with a URL such as http://gpu1:8000/v1") }
        self.base = base
        for word in words.dropFirst() {
            guard let equals = word.firstIndex(of: "="), word.index(after: equals) < word.endIndex
            else { throw SettingFault("has “\(word)”, where NAME=VALUE should stand") }
            try set(word[..<equals], to: String(word[equals...].dropFirst()))
        }
        guard !model.isEmpty else {
            throw SettingFault("names no model: add model=NAME, its name at the engine")
        }
        guard keyFile == nil || keyVariable == nil else {
            throw SettingFault("has both key-file and key-env: one is enough")
        }
        if name.isEmpty { name = model }
        if label.isEmpty { label = base.origin.authority }
        guard max(name.utf8.count, label.utf8.count) <= Self.nameBytesMax else {
            throw SettingFault("has a name of more than \(Self.nameBytesMax) bytes: shorten it")
        }
    }

    /// Maximum length of a model's name and of a label, in bytes.
    private static let nameBytesMax = 200

    private mutating func set(_ name: Substring, to value: String) throws(SettingFault) {
        switch name {
        case "model": model = value
        case "as": self.name = value
        case "label": label = value
        case "key-file": keyFile = value
        case "key-env": keyVariable = value
        case "ca-file": trustedFile = value
        case "tokenizer": tokenizer = value
        case "slots": slots = try Self.number(name, value, 1...1024)
        case "context": contextLength = try Self.number(name, value, 64...1_048_576)
        case "connect-seconds": connectionSeconds = try Self.number(name, value, 1...60)
        case "first-token-seconds": firstTokenSeconds = try Self.number(name, value, 1...3600)
        case "next-token-seconds": nextTokenSeconds = try Self.number(name, value, 1...3600)
        default: throw SettingFault("has “\(name)=”, which is not a setting of an engine")
        }
    }

    private static func number(
        _ name: Substring,
        _ value: String,
        _ range: ClosedRange<Int>
    ) throws(SettingFault) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw SettingFault(
                "has \(name)=\(value), which is not a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound)"
            )
        }
        return number
    }
}

extension SettingForm where Value == [RemoteEngineSetting] {
    /// Remote engines separated by commas.
    static let remoteEngines = SettingForm(
        placeholder: "ENGINE",
        text: { _ in "" },
        parse: { text throws(SettingFault) in
            var engines: [RemoteEngineSetting] = []
            for part in text.split(separator: ",") {
                engines.append(try RemoteEngineSetting(String(part)))
            }
            for (index, engine) in engines.enumerated() {
                guard !engines[..<index].contains(where: { $0.label == engine.label }) else {
                    throw SettingFault("has two engines called \(engine.label): add label=NAME")
                }
            }
            return engines
        },
        isList: true
    )
}
