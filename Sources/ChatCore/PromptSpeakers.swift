// Names of speakers. If more than one person has spoken, each question begins with a line that
// names its author; if only one has, the model gets their text unchanged.
//
// This line is the first of its turn, and turns are separated by tokens that no text can contain.
// So that no later line passes for it, lines that begin like it are quoted as in mail files (RFC
// 4155): "From " becomes ">From ", and ">From " becomes ">>From ".

extension PromptMessage {
    /// The name for authors whose accounts were deleted. No user name has a space.
    public static let formerAuthor = "a former member"

    private static let mark = "From "

    /// The message with a first line that names its author.
    /// - Parameter name: the author's name.
    /// - Returns: the message. The same name and text give the same message.
    public func named(_ name: String) -> PromptMessage {
        var named = self
        named.speaker = name
        named.text = "\(Self.mark)\(name):\n" + Self.quoted(text)
        return named
    }

    /// A text in which no line begins like a speaker line.
    private static func quoted(_ text: String) -> String {
        guard text.contains(mark) else { return text }
        var quoted = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let words = line.drop { $0 == ">" || $0.isWhitespace }
            if words.hasPrefix(mark) { quoted += ">" }
            quoted += line
            // Keeps the line terminator as it was.
            if line.endIndex < text.endIndex { quoted.append(text[line.endIndex]) }
        }
        return quoted
    }
}

extension [PromptMessage] {
    /// The messages, with authors' names on questions if there is more than one author.
    var withSpeakers: [PromptMessage] {
        let questions = filter { $0.role == "user" && $0.id != nil }
        guard Set(questions.map(\.author)).count > 1 else { return self }
        return map { message in
            guard message.role == "user", message.id != nil else { return message }
            return message.named(message.author ?? PromptMessage.formerAuthor)
        }
    }
}
