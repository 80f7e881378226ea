// Who said what, where more than one person has spoken: each question then begins with a line that names
// its author. Where one person alone has, the model is given their words and nothing else.
//
// The line is the first of its turn, and turns are told apart by tokens that no text can hold. So that
// no later line passes for one either, lines that begin like it are marked, as mail has done it since
// the seventies (RFC 4155): "From " becomes ">From ", and ">From " becomes ">>From ".

extension PromptMessage {
    /// What stands for authors whose accounts are gone. No name has a space.
    public static let formerAuthor = "a former member"

    private static let mark = "From "

    /// The message with a first line that says who wrote it.
    /// - Parameter name: what they are called.
    /// - Returns: the message; anew of the same name, and of the same text, it is the same.
    public func named(_ name: String) -> PromptMessage {
        var named = self
        named.speaker = name
        named.text = "\(Self.mark)\(name):\n" + Self.quoted(text)
        return named
    }

    /// A text of which no line begins as the line of a name does.
    private static func quoted(_ text: String) -> String {
        guard text.contains(mark) else { return text }
        var quoted = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let words = line.drop { $0 == ">" || $0.isWhitespace }
            if words.hasPrefix(mark) { quoted += ">" }
            quoted += line
            // Whatever ended the line ends it still.
            if line.endIndex < text.endIndex { quoted.append(text[line.endIndex]) }
        }
        return quoted
    }
}

extension [PromptMessage] {
    /// The messages with the names of those who wrote the questions, where these are more than one.
    var withSpeakers: [PromptMessage] {
        let questions = filter { $0.role == "user" && $0.id != nil }
        guard Set(questions.map(\.author)).count > 1 else { return self }
        return map { message in
            guard message.role == "user", message.id != nil else { return message }
            return message.named(message.author ?? PromptMessage.formerAuthor)
        }
    }
}
