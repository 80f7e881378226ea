// Parses the text after /settings, and prints settings.

package import ChatProtocol

/// Generation settings as words: `temperature=0.5 seed=7 stop=END`.
package enum SettingsLine {
    /// Why a text is none.
    package struct Mistake: Error, Hashable {
        /// What is wrong, for the user.
        package let sentence: String
    }

    /// The names of the settings.
    package static let names = [
        "temperature", "top_p", "max_tokens", "max_thinking_tokens", "seed", "stop",
    ]

    /// Settings with changes.
    /// - Parameters:
    ///   - settings: the settings before.
    ///   - text: words `NAME=VALUE`; without a value the server's default applies again.
    /// - Returns: the settings after.
    /// - Throws: what is wrong.
    package static func changed(
        _ settings: GenerationSettings,
        by text: String
    ) throws(Mistake) -> GenerationSettings {
        var settings = settings
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil
            guard parts.count == 2 else {
                throw Mistake(sentence: "write NAME=VALUE, as in temperature=0.5")
            }
            switch parts[0] {
            case "temperature": settings.temperature = try number(value, word)
            case "top_p": settings.topP = try number(value, word)
            case "max_tokens": settings.maxTokens = try number(value, word)
            case "max_thinking_tokens": settings.maxThinkingTokens = try number(value, word)
            case "seed": settings.seed = try number(value, word)
            case "stop": settings.stop = value.map { [$0] }
            default:
                let names = names.joined(separator: ", ")
                throw Mistake(sentence: "“\(parts[0])” is none of \(names)")
            }
        }
        if let violation = settings.violation { throw Mistake(sentence: violation) }
        return settings
    }

    private static func number<Number: LosslessStringConvertible>(
        _ value: String?,
        _ word: Substring
    ) throws(Mistake) -> Number? {
        guard let value else { return nil }
        guard let number = Number(value) else {
            throw Mistake(sentence: "“\(word)” has no number")
        }
        return number
    }

    /// One line for each setting.
    package static func text(_ settings: GenerationSettings) -> String {
        let values: [String?] = [
            settings.temperature.map { "\($0)" }, settings.topP.map { "\($0)" },
            settings.maxTokens.map { "\($0)" }, settings.maxThinkingTokens.map { "\($0)" },
            settings.seed.map { "\($0)" },
            settings.stop.map { $0.joined(separator: ", ") },
        ]
        return zip(names, values).map { "\($0)=\($1 ?? "")\($1 == nil ? " (the server's)" : "")" }
            .joined(separator: "\n")
    }
}
