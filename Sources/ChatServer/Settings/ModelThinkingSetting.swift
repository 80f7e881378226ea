// How long a model of this server may think, in the settings: NAME=TOKENS, or NAME=off.

/// The limit of a model's thinking parts.
public struct ModelThinkingSetting: Sendable, Hashable {
    private static let tokensRange = 0...1_000_000

    /// The model's name for clients.
    public var name: String
    /// Maximum tokens of a thinking part, unless the conversation sets another limit; 0 if the model is
    /// to answer at once.
    public var tokensMax: Int

    /// Parses the form `NAME=TOKENS` or `NAME=off`.
    /// - Throws: `SettingFault`.
    package init(_ text: String) throws(SettingFault) {
        guard let equals = text.lastIndex(of: "="), equals > text.startIndex else {
            throw SettingFault("has “\(text)”, where NAME=TOKENS or NAME=off should stand")
        }
        name = String(text[..<equals])
        let limit = text[text.index(after: equals)...]
        guard let tokens = limit == "off" ? 0 : Int(limit), Self.tokensRange.contains(tokens) else {
            throw SettingFault("has “\(limit)” for \(name): write 0 to 1000000 tokens, or off")
        }
        tokensMax = tokens
    }
}

extension SettingForm where Value == [ModelThinkingSetting] {
    /// Limits of models separated by commas.
    static let modelThinking = SettingForm(
        placeholder: "NAME=TOKENS",
        text: { $0.map { "\($0.name)=\($0.tokensMax)" }.joined(separator: ",") },
        parse: { text throws(SettingFault) in
            var limits: [ModelThinkingSetting] = []
            for part in text.split(separator: ",") {
                let limit = try ModelThinkingSetting(String(part.drop { $0 == " " }))
                guard !limits.contains(where: { $0.name == limit.name }) else {
                    throw SettingFault("has two limits for \(limit.name): keep one")
                }
                limits.append(limit)
            }
            return limits
        },
        isList: true
    )
}
