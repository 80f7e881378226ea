// A term of a query, as entries of the index and as patterns for the texts.

/// A folded term, and how to find the messages that contain it.
///
/// The index contains words, and pairs of characters for scripts without spaces. It says which
/// messages can contain the term; if the term has more than one entry, the text must be compared
/// too.
public struct SearchTerm: Sendable, Hashable {
    /// Length of the longest words in the index, in Unicode scalars.
    private static let wordLength = 60
    /// Shortest part of a word that is searched in the middle of words, in Unicode scalars: the
    /// shortest entry of the trigram index.
    private static let pieceLength = 3

    /// An entry of the index.
    public struct Token: Sendable, Hashable {
        /// The entry, or its prefix.
        public var text: String
        /// Whether longer entries with this prefix match too.
        public var isPrefix: Bool
    }

    /// Its words in order: folded, without separators.
    public let words: [String]
    /// Whether the words must match exactly. Otherwise the last one is a prefix.
    public let isPhrase: Bool

    /// Creates a term; nil if it has no word.
    /// - Parameters:
    ///   - folded: the result of the schema's `search_text` for it: words separated by spaces.
    ///   - isPhrase: whether it was quoted.
    public init?(folded: String, isPhrase: Bool) {
        words = folded.split(separator: " ").map(String.init)
        self.isPhrase = isPhrase
        if words.isEmpty { return nil }
    }

    /// The index entries that every message with the term has.
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

    /// A LIKE pattern for the text folded by `search_text`; only messages with the term match. Nil
    /// if the index entries are sufficient.
    public var pattern: String? {
        guard tokens.count > 1, let first = words.first?.unicodeScalars.first,
            let last = words.last?.unicodeScalars.last
        else { return nil }
        // Folded text contains no LIKE wildcards.
        let start = UnspacedScript.contains(first) ? "" : " "
        let end = isPhrase && !UnspacedScript.contains(last) ? " " : ""
        return "%\(start)\(words.joined(separator: " "))\(end)%"
    }

    /// The same as `pattern` for a text that is only ASCII, in lower case: a POSIX regular
    /// expression, for which nothing must be folded. Nil if there is no pattern, or the term has
    /// other characters.
    public var asciiExpression: String? {
        guard pattern != nil, words.joined().utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let end = isPhrase ? "($|[^a-z0-9])" : ""
        return "(^|[^a-z0-9])\(words.joined(separator: "[^a-z0-9]+"))\(end)"
    }

    /// A LIKE pattern for the folded text that finds the term in the middle of words. Nil if that
    /// makes no difference, or the term is too short.
    public var piecePattern: String? {
        guard !isPhrase, words.count == 1, let word = words.first,
            word.unicodeScalars.count >= Self.pieceLength,
            !word.unicodeScalars.contains(where: UnspacedScript.contains)
        else { return nil }
        return "%\(word)%"
    }

    /// A part of a word in one kind of script.
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
        // One character is the start of a pair, or alone at the end of its run.
        guard scalars.count > 1 else { return [Token(text: text(scalars[...]), isPrefix: true)] }
        return (1..<scalars.count).map { index in
            Token(text: text(scalars[(index - 1)...index]), isPrefix: false)
        }
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
