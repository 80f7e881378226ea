// The forms of settings' values: how their texts are parsed, and how defaults are written.

/// The text form of a type of values.
struct SettingForm<Value: Sendable>: Sendable {
    let placeholder: String
    let text: @Sendable (Value) -> String
    let parse: @Sendable (String) throws(SettingFault) -> Value
    /// Whether an option of this form may be repeated.
    let isList: Bool

    init(
        placeholder: String,
        text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) throws(SettingFault) -> Value,
        isList: Bool = false
    ) {
        self.placeholder = placeholder
        self.text = text
        self.parse = parse
        self.isList = isList
    }
}

extension SettingForm where Value == String {
    /// Any text that is not empty.
    static let text = SettingForm(placeholder: "TEXT", text: { $0 }) { text throws(SettingFault) in
        guard !text.isEmpty else { throw SettingFault("is empty") }
        return text
    }
}

extension SettingForm where Value == String? {
    /// Any text; empty turns the setting off.
    static let optionalText = SettingForm(placeholder: "TEXT", text: { $0 ?? "" }) { text in
        text.isEmpty ? nil : text
    }

    /// An origin as in RFC 6454: scheme, host, and the port if it is not the scheme's default.
    static let optionalOrigin = SettingForm(placeholder: "URL", text: { $0 ?? "" }) {
        text throws(SettingFault) in
        text.isEmpty ? nil : try Origin.parse(text)
    }
}

extension SettingForm where Value == [String] {
    /// Texts separated by commas.
    static let list = SettingForm(
        placeholder: "TEXT,…",
        text: { $0.joined(separator: ",") },
        parse: { text in
            text.split(separator: ",").map { String($0.trimmingPrefix(while: { $0 == " " })) }
        },
        isList: true
    )

    /// Origins separated by commas.
    static let origins = SettingForm(
        placeholder: "URL,…",
        text: { $0.joined(separator: ",") },
        parse: { text throws(SettingFault) in
            var origins: [String] = []
            for part in text.split(separator: ",") {
                origins.append(try Origin.parse(String(part.drop { $0 == " " })))
            }
            return origins
        },
        isList: true
    )
}

extension SettingForm where Value == [String] {
    /// Host names separated by commas.
    static let hosts = SettingForm(
        placeholder: "NAME,…",
        text: { $0.joined(separator: ",") },
        parse: { text throws(SettingFault) in
            var names: [String] = []
            for part in text.split(separator: ",") {
                let name = HostNames.canonical(String(part.drop { $0 == " " }))
                guard !name.isEmpty, !name.contains(where: { ":/?#@ ".contains($0) }) else {
                    throw SettingFault("is not a host name without scheme and port")
                }
                names.append(name)
            }
            return names
        },
        isList: true
    )
}

extension SettingForm where Value == [AddressRange] {
    /// Addresses and address ranges separated by commas.
    static let addressRanges = SettingForm(
        placeholder: "ADDRESS,…",
        text: { $0.map(\.description).joined(separator: ",") },
        parse: { text throws(SettingFault) in
            var ranges: [AddressRange] = []
            for part in text.split(separator: ",") {
                guard let range = AddressRange(String(part.drop { $0 == " " })) else {
                    throw SettingFault("is not an IP address, or a range such as 10.0.0.0/8")
                }
                ranges.append(range)
            }
            return ranges
        },
        isList: true
    )
}

extension SettingForm where Value == Int {
    /// A whole number within a range.
    static func wholeNumber(_ range: ClosedRange<Int>) -> SettingForm {
        SettingForm(placeholder: "NUMBER", text: { "\($0)" }) { text throws(SettingFault) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingFault(
                    "is not a whole number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return number
        }
    }

    /// File permissions, as in chmod(1).
    static let fileMode = SettingForm(
        placeholder: "MODE",
        text: { String($0, radix: 8) }
    ) { text throws(SettingFault) in
        guard let mode = Int(text, radix: 8), (0...0o777).contains(mode) else {
            throw SettingFault("is not a mode such as 660")
        }
        return mode
    }
}

extension SettingForm where Value == Double {
    /// A number within a range.
    static func number(_ range: ClosedRange<Double>) -> SettingForm {
        SettingForm(placeholder: "NUMBER", text: { "\($0)" }) { text throws(SettingFault) in
            guard let number = Double(text), range.contains(number) else {
                throw SettingFault(
                    "is not a number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return number
        }
    }
}

extension SettingForm where Value == Duration {
    /// A whole number of milliseconds.
    static func milliseconds(_ range: ClosedRange<Int>) -> SettingForm {
        let count = SettingForm<Int>.wholeNumber(range)
        return SettingForm(
            placeholder: "NUMBER",
            text: { "\(Int($0 / .milliseconds(1)))" },
            parse: { text throws(SettingFault) in .milliseconds(try count.parse(text)) }
        )
    }

    /// A whole number of units of `secondsPerUnit` seconds.
    static func duration(secondsPerUnit: Int, _ range: ClosedRange<Int>) -> SettingForm {
        let count = SettingForm<Int>.wholeNumber(range)
        return SettingForm(
            placeholder: "NUMBER",
            text: { "\(Int($0.components.seconds) / secondsPerUnit)" },
            parse: { text throws(SettingFault) in
                .seconds(try count.parse(text) * secondsPerUnit)
            }
        )
    }
}

extension SettingForm where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of a fixed list of words.
    static var choice: SettingForm {
        let words = Value.allCases.map(\.rawValue)
        return SettingForm(
            placeholder: words.joined(separator: "|"),
            text: { $0.rawValue },
            parse: { text throws(SettingFault) in
                guard let value = Value(rawValue: text) else {
                    throw SettingFault("is not one of \(words.joined(separator: ", "))")
                }
                return value
            }
        )
    }
}
