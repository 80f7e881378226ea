// Splits text into words for byte-level tokenizers. The files have regular expressions; three are
// known, and each is implemented by hand, alternative by alternative. They match at every position,
// so no text is lost.

/// A known regular expression.
package enum WordPattern: String, Sendable, CaseIterable {
    /// OpenAI's o200k: Phi-4-mini.
    case o200k
    /// OpenAI's cl100k: phi-4 and the demo model.
    case cl100k
    /// GPT-2's, which `ByteLevel` uses by itself.
    case gpt2

    /// The exact text of the pattern in files.
    var expression: String {
        switch self {
        case .o200k:
            #"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"#
                + #"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"#
                + #"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"#
                + #"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|"#
                + #"\s*[\r\n]+|\s+(?!\S)|\s+"#
        case .cl100k:
            #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"#
                + #" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#
        case .gpt2:
            #"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"#
        }
    }

    /// The pattern whose text is `expression`.
    init?(expression: String) {
        guard let known = Self.allCases.first(where: { $0.expression == expression }) else {
            return nil
        }
        self = known
    }

    /// The words of `text`; concatenated they are `text`.
    package func words(of text: String) -> [String] {
        let scalars = ScalarText(Array(text.utf8))
        var words: [String] = []
        var start = 0
        while start < scalars.count {
            let end = wordEnd(scalars, from: start)
            let bytes = scalars.bytes[Int(scalars.offsets[start])..<Int(scalars.offsets[end])]
            words.append(String(decoding: bytes, as: UTF8.self))
            start = end
        }
        return words
    }

    /// The end of the word that starts at the scalar `start` of `text`, which must exist; greater
    /// than `start`.
    func wordEnd(_ text: ScalarText, from start: Int) -> Int {
        let end =
            switch self {
            case .o200k: text.o200kWordEnd(start)
            case .cl100k: text.cl100kWordEnd(start)
            case .gpt2: text.gpt2WordEnd(start)
            }
        return end ?? text.spaceEnd(start)
    }
}

extension ScalarText {
    /// All alternatives except those for white space, which are in `spaceEnd`.
    fileprivate func cl100kWordEnd(_ start: Int) -> Int? {
        if let end = contractionEnd(start, ignoringCase: true) { return end }
        let letters = startsWithPrefix(start) ? start + 1 : start
        let lettersEnd = end(of: letters, while: \.isLetter)
        if lettersEnd > letters { return lettersEnd }
        return numberEnd(start, max: 3)
            ?? symbolsEnd(start).map { end in
                var end = end
                while isNewline(end) { end += 1 }
                return end
            }
            ?? newlinesEnd(start)
    }

    /// The same; words start at capitals and include contractions.
    fileprivate func o200kWordEnd(_ start: Int) -> Int? {
        // The prefix is optional and greedy: matching with it is tried first, then without it.
        let starts = startsWithPrefix(start) ? [start + 1, start] : [start]
        for letters in starts {
            if let end = capitalizedEnd(letters) { return withContraction(end) }
        }
        for letters in starts {
            let capitalsEnd = end(of: letters, while: \.isCapital)
            // `[lower]*` matches nothing here: otherwise the first alternative had matched.
            if capitalsEnd > letters { return withContraction(capitalsEnd) }
        }
        return numberEnd(start, max: 3)
            ?? symbolsEnd(start).map { end in
                var end = end
                while isNewline(end) || firstByte(end) == UInt8(ascii: "/") { end += 1 }
                return end
            }
            ?? newlinesEnd(start)
    }

    fileprivate func gpt2WordEnd(_ start: Int) -> Int? {
        if let end = contractionEnd(start, ignoringCase: false) { return end }
        let word = firstByte(start) == UInt8(ascii: " ") ? start + 1 : start
        let lettersEnd = end(of: word, while: \.isLetter)
        if lettersEnd > word { return lettersEnd }
        return numberEnd(word, max: .max) ?? symbolsEnd(start)
    }

    /// `\s+(?!\S)|\s+`: white space, without its last scalar if a word follows.
    fileprivate func spaceEnd(_ start: Int) -> Int {
        let end = end(of: start) { $0 == .space }
        if end == count || end - start < 2 { return max(end, start + 1) }
        return end - 1
    }

    /// `[^\r\n\p{L}\p{N}]`
    private func startsWithPrefix(_ start: Int) -> Bool {
        guard let first = scalarClass(start) else { return false }
        return !first.isLetter && first != .number && !isNewline(start)
    }

    /// `[capital]*[small]+`, where letters without case and marks are both.
    private func capitalizedEnd(_ start: Int) -> Int? {
        let capitalsEnd = end(of: start, while: \.isCapital)
        let smallEnd = end(of: capitalsEnd, while: \.isSmall)
        if smallEnd > capitalsEnd { return smallEnd }
        // No small letter follows: backtrack over capitals until the last one given back is also
        // small.
        var end = capitalsEnd
        while end > start, !classes[end - 1].isSmall { end -= 1 }
        return end > start ? end : nil
    }

    private func withContraction(_ end: Int) -> Int {
        contractionEnd(end, ignoringCase: true) ?? end
    }

    /// `'s|'t|'re|'ve|'m|'ll|'d`
    private func contractionEnd(_ start: Int, ignoringCase: Bool) -> Int? {
        guard firstByte(start) == UInt8(ascii: "'") else { return nil }
        let first = ignoringCase ? foldedLetter(start + 1) : firstByte(start + 1)
        let second = ignoringCase ? foldedLetter(start + 2) : firstByte(start + 2)
        switch first {
        case UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "m"), UInt8(ascii: "d"):
            return start + 2
        case UInt8(ascii: "r"), UInt8(ascii: "v"):
            return second == UInt8(ascii: "e") ? start + 3 : nil
        case UInt8(ascii: "l"):
            return second == UInt8(ascii: "l") ? start + 3 : nil
        default:
            return nil
        }
    }

    /// `\p{N}{1,max}`
    private func numberEnd(_ start: Int, max: Int) -> Int? {
        var end = start
        while scalarClass(end) == .number, end - start < max { end += 1 }
        return end > start ? end : nil
    }

    /// ` ?[^\s\p{L}\p{N}]+`
    private func symbolsEnd(_ start: Int) -> Int? {
        let symbols = firstByte(start) == UInt8(ascii: " ") ? start + 1 : start
        let end = end(of: symbols) { $0 == .other || $0 == .mark }
        return end > symbols ? end : nil
    }

    /// `\s*[\r\n]+`: white space up to its last newline.
    private func newlinesEnd(_ start: Int) -> Int? {
        var end = end(of: start) { $0 == .space }
        while end > start, !isNewline(end - 1) { end -= 1 }
        return end > start ? end : nil
    }
}

extension ScalarClass {
    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
    fileprivate var isCapital: Bool { self == .upper || self == .caseless || self == .mark }
    /// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
    fileprivate var isSmall: Bool { self == .lower || self == .caseless || self == .mark }
}
