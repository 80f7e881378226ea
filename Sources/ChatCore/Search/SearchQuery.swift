// What somebody types to look for something, taken apart.

public import ChatProtocol

/// A query: words, all of which must be there, and quoted phrases.
public struct SearchQuery: Sendable, Hashable {
    /// The most terms of a query.
    public static let termsMax = 20

    /// A word, or what stands between quotation marks, as it was typed.
    public struct Term: Sendable, Hashable {
        /// What was typed, without the quotation marks.
        public var text: String
        /// Whether it stood between quotation marks: then its words stand in the message just so.
        public var isPhrase: Bool

        /// Puts a term together.
        public init(_ text: String, isPhrase: Bool = false) {
            self.text = text
            self.isPhrase = isPhrase
        }
    }

    /// The terms, as they were typed.
    public let terms: [Term]

    /// Takes a query apart at its spaces and quotation marks. A quotation that does not end goes to
    /// the end of the query.
    /// - Parameter text: what was typed.
    /// - Throws: `WireError.badRequest` where it holds nothing, or too many terms.
    public init(_ text: String) throws(WireError) {
        var terms: [Term] = []
        var term = Term("")
        func finish() {
            if term.text.contains(where: { !$0.isWhitespace }) { terms.append(term) }
            term = Term("")
        }
        for character in text {
            if Self.quotationMarks.contains(character) {
                let wasPhrase = term.isPhrase
                finish()
                term.isPhrase = !wasPhrase
            } else if character.isWhitespace, !term.isPhrase {
                finish()
            } else {
                term.text.append(character)
            }
        }
        finish()
        guard !terms.isEmpty, terms.count <= Self.termsMax else { throw .badSearchQuery }
        self.terms = terms
    }

    private static let quotationMarks: Set<Character> = ["\"", "“", "”", "„", "«", "»", "「", "」"]
}

extension WireError {
    /// What is said of a query that names nothing, or too much.
    public static let badSearchQuery = WireError(
        .badRequest,
        "query must hold 1 to \(SearchQuery.termsMax) words or quoted phrases"
    )
}
