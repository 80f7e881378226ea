// The title of a conversation: at first the beginning of its first message, then what the model
// makes of its beginning.

/// Makes titles from texts.
public enum TitleRule {
    /// Maximum length of a title, in characters.
    static let charactersMax = 60
    /// Maximum length of a model's text that is cut to be a title; a longer one is not a title.
    static let modelCharactersMax = 100

    /// The first line of `text`, cut after a whole word to at most 60 characters.
    public static func title(from text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let words = line.split(whereSeparator: \.isWhitespace)
        var title = ""
        for word in words {
            if title.count + word.count + 1 > charactersMax {
                return title.isEmpty ? "\(word.prefix(charactersMax - 1))…" : "\(title) …"
            }
            title += title.isEmpty ? String(word) : " \(word)"
        }
        return title
    }

    /// The title in the text that a model generated when it was asked for one: its first line,
    /// without quotation marks, Markdown marks and a final period.
    /// - Returns: nil if the text is useless as a title.
    public static func title(fromModel text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).lazy.map { stripped(String($0)) }
        guard var line = lines.first(where: { !$0.isEmpty }) else { return nil }
        if let label = line.prefixMatch(of: /(?i:title)\s*[:：]/) {
            line = stripped(String(line[label.range.upperBound...]))
        }
        let letters = line.unicodeScalars.count { $0.properties.isAlphabetic || isDigit($0) }
        guard line.count <= modelCharactersMax, letters >= 2 else { return nil }
        return title(from: line)
    }

    /// A line without control characters and the marks around it.
    private static func stripped(_ line: String) -> String {
        let shown = line.unicodeScalars.filter { !isHidden($0) }
        var rest = Substring(String(String.UnicodeScalarView(shown)))
        while let first = rest.first, isMark(first) || first == "#" { rest.removeFirst() }
        while let last = rest.last, isMark(last) || last == "." || last == "。" {
            rest.removeLast()
        }
        return String(rest)
    }

    /// Characters that are not shown, or that change how others are shown.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        // Scripts need the joiners.
        if scalar == "\u{200C}" || scalar == "\u{200D}" { return false }
        return switch scalar.properties.generalCategory {
        case .control: scalar != "\t"
        case .format, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func isMark(_ character: Character) -> Bool {
        character.isWhitespace || "\"'`*_“”„‘’‚«»‹›「」『』".contains(character)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .decimalNumber
    }
}
