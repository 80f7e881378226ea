// Mentions in a question: "@" and a name, outside of code. The store decides which names are
// members.

/// Finds the names that a text mentions.
public enum MentionRule {
    /// Maximum names of one text; the first ones are taken.
    public static let namesMax = 20
    /// Number of Unicode scalars of a text that are scanned.
    public static let scannedMax = 100_000

    /// A name has at most 200 bytes, thus at most 200 scalars.
    private static let nameLengthMax = 200
    /// Maximum punctuation marks between a name and its end, as in "@ann...".
    private static let trailingMarksMax = 3

    /// The names that a text mentions, in the order of their first appearance.
    ///
    /// A name may end with punctuation: "ann." may be a user. So each mention gives all names that
    /// it may mean, longest first; the first one that exists is meant.
    public static func names(in text: String) -> [[String]] {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return [] }
        let scalars = Array(text.unicodeScalars.prefix(scannedMax))
        var names: [[String]] = []
        var known: Set<String> = []
        for part in Prose.parts(of: scalars) {
            var index = part.lowerBound
            while index < part.upperBound {
                let isSign = scalars[index] == "@"
                index += 1
                guard isSign, index < 2 || !joins(scalars[index - 2]) else { continue }
                let end = scalars[index..<part.upperBound].firstIndex { !isNamePart($0) }
                let written = scalars[index..<(end ?? part.upperBound)]
                index = written.endIndex
                // Another "@" makes it an address; a combining accent makes it another name.
                if index < scalars.count, scalars[index] == "@" || isAccent(scalars[index]) {
                    continue
                }
                let possible = possibleNames(written)
                guard let longest = possible.first, known.insert(longest).inserted else { continue }
                names.append(possible)
                if names.count == namesMax { return names }
            }
        }
        return names
    }

    /// The possible readings of a written name, longest first.
    private static func possibleNames(_ written: ArraySlice<Unicode.Scalar>) -> [String] {
        guard written.count <= nameLengthMax else { return [] }
        var names: [String] = []
        var rest = written
        while let last = rest.last, names.count <= trailingMarksMax {
            names.append(String(String.UnicodeScalarView(rest)))
            guard isMark(last) else { break }
            rest.removeLast()
        }
        return names
    }

    /// Whether an "@" after this scalar starts no mention: inside a word or an address, or escaped.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        isNamePart(scalar) || isAccent(scalar) || scalar == "@" || scalar == "/" || scalar == "\\"
    }

    /// Letters, digits, and the marks that a name may contain.
    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || isMark(scalar)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "_" || scalar == "."
    }

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
