// Who is named in a question: "@" and a name, outside of code. Which of the names are members' the store
// knows.

/// Finds the names that a text mentions.
public enum MentionRule {
    /// The most names of one text: those that are written first.
    public static let namesMax = 20
    /// How far a text is looked at, in Unicode scalars.
    public static let scannedMax = 100_000

    /// No name has more scalars: it has at most 200 bytes.
    private static let nameLengthMax = 200
    /// How many marks may stand between a name and its end, as in "@ann...".
    private static let trailingMarksMax = 3

    /// The names that a text mentions, in the order in which they are first written.
    ///
    /// A name may end with marks that are none of a sentence, as "ann." may be somebody's. So each place
    /// gives all names that it may mean, the longest first: the first one that somebody has is meant.
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
                // Another "@" makes it an address; an accent, another name.
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

    /// What a name that was written so may be, the longest first.
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

    /// Whether an "@" after it begins no name: it is part of a word, an address, or is escaped.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        isNamePart(scalar) || isAccent(scalar) || scalar == "@" || scalar == "/" || scalar == "\\"
    }

    /// Letters, digits, and the marks that a name may hold.
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
