// The default title of a conversation: the beginning of its first message.

/// Makes a title from a first message.
public enum TitleRule {
    /// The first line of `text`, cut after a whole word to at most 60 characters.
    public static func title(from text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let words = line.split(whereSeparator: \.isWhitespace)
        var title = ""
        for word in words {
            if title.count + word.count + 1 > 60 {
                return title.isEmpty ? "\(word.prefix(59))…" : "\(title) …"
            }
            title += title.isEmpty ? String(word) : " \(word)"
        }
        return title
    }
}
