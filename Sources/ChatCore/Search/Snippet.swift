// The part of a message that a search result shows, with matches marked.

public import ChatProtocol

/// A message's text with its matches.
public struct Snippet {
    /// Maximum characters shown, and how many of them precede the first match.
    private static let length = 200
    private static let lead = 60
    /// Maximum marked matches of a term.
    private static let matchesMax = 50

    private let characters: [Character]
    /// The text as the index has it: words with one space before, between and after them.
    private var folded: [Unicode.Scalar] = [" "]
    /// The character that each folded scalar comes from.
    private var origin: [Int] = [0]
    /// Matches as ranges of characters, in order and without overlap.
    private var matches: [Range<Int>] = []

    /// Finds terms in a text.
    /// - Parameters:
    ///   - text: the text, or the part of it that contains the terms.
    ///   - terms: the terms to mark.
    ///   - folding: the result of the schema's `search_text` for each character outside ASCII.
    public init(_ text: String, terms: [SearchTerm], folding: [Character: String]) {
        characters = Array(text)
        for (index, character) in characters.enumerated() {
            fold(character, index, folding)
        }
        appendSpace(characters.count)
        var found: [Range<Int>] = []
        for term in terms { found += ranges(of: term) }
        found.sort { $0.lowerBound < $1.lowerBound }
        for range in found {
            if let last = matches.last, range.lowerBound < last.upperBound {
                let end = max(last.upperBound, range.upperBound)
                matches[matches.count - 1] = last.lowerBound..<end
            } else {
                matches.append(range)
            }
        }
    }

    /// The snippet on one line: about `length` characters around the most matches.
    public var parts: [SnippetPart] {
        let shown = window
        var parts: [SnippetPart] = []
        var index = shown.lowerBound
        func append(_ range: Range<Int>, match: Bool) {
            let text = line(characters[range])
            if !text.isEmpty { parts.append(SnippetPart(text: text, match: match)) }
        }
        for match in matches {
            let match = match.clamped(to: shown)
            guard !match.isEmpty else { continue }
            append(index..<match.lowerBound, match: false)
            append(match, match: true)
            index = match.upperBound
        }
        append(index..<shown.upperBound, match: false)
        return parts
    }

    // MARK: Folding

    private mutating func fold(
        _ character: Character,
        _ index: Int,
        _ folding: [Character: String]
    ) {
        if let ascii = character.asciiValue {
            guard character.isLetter || character.isNumber else { return appendSpace(index) }
            let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= ascii
            append(Unicode.Scalar(isUpper ? ascii + 32 : ascii), index)
            return
        }
        let words = (folding[character] ?? "").split(separator: " ")
        guard !words.isEmpty else { return appendSpace(index) }
        for (place, word) in words.enumerated() {
            if place > 0 { appendSpace(index) }
            for scalar in word.unicodeScalars { append(scalar, index) }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar, _ index: Int) {
        folded.append(scalar)
        origin.append(index)
    }

    private mutating func appendSpace(_ index: Int) {
        if folded.last != " " { append(" ", index) }
    }

    // MARK: Matching

    /// Where a term matches: at starts of words if possible, otherwise anywhere.
    private func ranges(of term: SearchTerm) -> [Range<Int>] {
        let needle = Array(term.words.joined(separator: " ").unicodeScalars)
        var places: [Int] = []
        guard let first = needle.first, folded.count >= needle.count else { return [] }
        for place in 0...(folded.count - needle.count)
        where folded[place] == first && folded[place..<(place + needle.count)].elementsEqual(needle)
        {
            places.append(place)
            if places.count == Self.matchesMax { break }
        }
        let atStarts = places.filter { isBorder($0) }
        return (atStarts.isEmpty ? places : atStarts).map { place in
            word(around: place..<(place + needle.count))
        }
    }

    private func isBorder(_ place: Int) -> Bool {
        UnspacedScript.contains(folded[place]) || place == 0 || folded[place - 1] == " "
            || UnspacedScript.contains(folded[place - 1])
    }

    /// A match, extended to the whole words at its start and end.
    private func word(around match: Range<Int>) -> Range<Int> {
        var (start, end) = (match.lowerBound, match.upperBound)
        func isInWord(_ place: Int) -> Bool {
            folded.indices.contains(place) && folded[place] != " "
                && !UnspacedScript.contains(folded[place])
        }
        if isInWord(start) { while isInWord(start - 1) { start -= 1 } }
        if isInWord(end - 1) { while isInWord(end) { end += 1 } }
        return origin[start]..<(origin[end - 1] + 1)
    }

    // MARK: Window

    /// The characters to show.
    private var window: Range<Int> {
        let starts = matches.map { max(0, $0.lowerBound - Self.lead) }
        let best = starts.max { left, right in
            let (lefts, rights) = (matchCount(from: left), matchCount(from: right))
            return lefts == rights ? left > right : lefts < rights
        }
        var start = best ?? 0
        var end = min(start + Self.length, characters.count)
        // Not in the middle of a word, if words are separated by spaces.
        if start > 0, let space = characters[start..<(start + Self.lead / 3)].firstIndex(of: " ") {
            start = space + 1
        }
        if end < characters.count,
            let space = characters[(end - Self.lead / 3)..<end].lastIndex(where: \.isWhitespace)
        {
            end = space
        }
        return start..<max(start, end)
    }

    private func matchCount(from start: Int) -> Int {
        matches.count { $0.lowerBound >= start && $0.upperBound <= start + Self.length }
    }

    private func line(_ characters: ArraySlice<Character>) -> String {
        var text = ""
        for character in characters {
            if !character.isWhitespace {
                text.append(character)
            } else if text.last != " " {
                text.append(" ")
            }
        }
        return text
    }
}
