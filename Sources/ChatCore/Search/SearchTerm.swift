// A term of a query as the index knows it, and as a pattern for the texts themselves.

/// A folded term: how to find the messages that hold it.
///
/// The index knows words, and pairs of neighbours in scripts without spaces. It says which messages
/// can hold the term; where it has more than one entry, only the text says whether it does.
public struct SearchTerm: Sendable, Hashable {
    /// The length of the index's longest words, in Unicode scalars.
    private static let wordLength = 60
    /// The shortest piece of a word that is looked for in the middle of words, in Unicode scalars:
    /// what the index of pieces begins with.
    private static let pieceLength = 3

    /// An entry of the index.
    public struct Token: Sendable, Hashable {
        /// The entry, or what it begins with.
        public var text: String
        /// Whether other entries that begin so count too.
        public var isPrefix: Bool
    }

    /// Its words in order: folded, without anything between words.
    public let words: [String]
    /// Whether the words stand in the message just so. Otherwise the last may be longer there.
    public let isPhrase: Bool

    /// Takes a term; nil where it has no word.
    /// - Parameters:
    ///   - folded: what the schema's `search_text` makes of it: words with spaces between them.
    ///   - isPhrase: whether it was quoted.
    public init?(folded: String, isPhrase: Bool) {
        words = folded.split(separator: " ").map(String.init)
        self.isPhrase = isPhrase
        if words.isEmpty { return nil }
    }

    /// The entries that a message has that holds the term.
    public var tokens: [Token] {
        var tokens: [Token] = []
        for (index, word) in words.enumerated() {
            let runs = Self.runs(of: word)
            for (place, run) in runs.enumerated() {
                let isLast = index == words.count - 1 && place == runs.count - 1
                tokens += Self.tokens(of: run, isPrefix: isLast && !isPhrase)
            }
        }
        var seen: Set<Token> = []
        return tokens.filter { seen.insert($0).inserted }
    }

    /// For the text as `search_text` has it: a pattern of LIKE that only messages with the term have.
    /// Nil where the entries say it already.
    public var pattern: String? {
        guard tokens.count > 1, let first = words.first?.unicodeScalars.first,
            let last = words.last?.unicodeScalars.last
        else { return nil }
        // What is folded has none of LIKE's own characters.
        let start = UnspacedScript.contains(first) ? "" : " "
        let end = isPhrase && !UnspacedScript.contains(last) ? " " : ""
        return "%\(start)\(words.joined(separator: " "))\(end)%"
    }

    /// The same question as `pattern` for a text of ASCII alone, in lower case: a POSIX regular expression,
    /// for which nothing has to be folded. Nil where there is no pattern, or the term holds more than
    /// ASCII.
    public var asciiExpression: String? {
        guard pattern != nil, words.joined().utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let end = isPhrase ? "($|[^a-z0-9])" : ""
        return "(^|[^a-z0-9])\(words.joined(separator: "[^a-z0-9]+"))\(end)"
    }

    /// For the folded text: a pattern of LIKE for the term in the middle of words. Nil where that is
    /// not another question, or the term is too short for it.
    public var piecePattern: String? {
        guard !isPhrase, words.count == 1, let word = words.first,
            word.unicodeScalars.count >= Self.pieceLength,
            !word.unicodeScalars.contains(where: UnspacedScript.contains)
        else { return nil }
        return "%\(word)%"
    }

    /// A stretch of a word in one kind of script.
    private struct Run {
        var scalars: [Unicode.Scalar]
        let isUnspaced: Bool
    }

    private static func runs(of word: String) -> [Run] {
        var runs: [Run] = []
        for scalar in word.unicodeScalars {
            let isUnspaced = UnspacedScript.contains(scalar)
            if runs.last?.isUnspaced == isUnspaced {
                runs[runs.count - 1].scalars.append(scalar)
            } else {
                runs.append(Run(scalars: [scalar], isUnspaced: isUnspaced))
            }
        }
        return runs
    }

    private static func tokens(of run: Run, isPrefix: Bool) -> [Token] {
        let scalars = run.scalars
        guard run.isUnspaced else {
            return stride(from: 0, to: scalars.count, by: wordLength).map { start in
                let end = min(start + wordLength, scalars.count)
                return Token(
                    text: text(scalars[start..<end]),
                    isPrefix: isPrefix && end == scalars.count
                )
            }
        }
        // One character begins a pair, or stands alone at the end of its run.
        guard scalars.count > 1 else { return [Token(text: text(scalars[...]), isPrefix: true)] }
        return (1..<scalars.count).map { index in
            Token(text: text(scalars[(index - 1)...index]), isPrefix: false)
        }
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
