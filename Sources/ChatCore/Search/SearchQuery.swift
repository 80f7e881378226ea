// Parses a search query.

public import ChatProtocol

/// A query: words and quoted phrases, all of which must match.
public struct SearchQuery: Sendable, Hashable {
    /// Maximum terms of a query.
    public static let termsMax = 20

    /// A word, or the text between quotation marks, as typed.
    public struct Term: Sendable, Hashable {
        /// The text, without quotation marks.
        public var text: String
        /// Whether it was quoted: its words must appear in the message in this order, without
        /// others between.
        public var isPhrase: Bool

        /// Creates a term.
        public init(_ text: String, isPhrase: Bool = false) {
            self.text = text
            self.isPhrase = isPhrase
        }
    }

    /// The terms, as typed.
    public let terms: [Term]

    /// Splits a query at spaces and quotation marks. An unclosed quotation extends to the end.
    /// - Parameter text: the query.
    /// - Throws: `WireError.badRequest` if it has no terms, or too many.
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
    /// For a query without terms, or with too many.
    public static let badSearchQuery = WireError(
        .badRequest,
        "query must hold 1 to \(SearchQuery.termsMax) words or quoted phrases"
    )
}
