// What a search asks for, once its words are folded and its names looked up.

import ChatCore
import ChatProtocol

/// Where and for what to look, as the statements need it.
struct SearchConditions {
    /// Which messages count.
    enum Phase: Character {
        /// Those in which the terms begin words.
        case words = "w"
        /// Those of the rest in which they stand in the middle of words.
        case pieces = "p"
    }

    let user: UserID
    let terms: [SearchTerm]
    let team: TeamID?
    /// The author's id, where one is asked for.
    let author: UserID?
    let from: Timestamp?
    let to: Timestamp?

    /// Whether there is anything for the second phase.
    var hasPieces: Bool { terms.contains { $0.piecePattern != nil } }

    /// Whether the text itself has to be compared with words.
    func hasComparisons(_ phase: Phase) -> Bool { whole(phase).contains { $0.pattern != nil } }

    /// The terms whose pieces are looked for.
    func pieces(_ phase: Phase) -> [SearchTerm] {
        phase == .pieces ? terms.filter { $0.piecePattern != nil } : []
    }

    /// Whether the pieces that are looked for may stand in many messages: one of a few letters does, in the
    /// middle of one word or another; a longer one, or two of them, hardly.
    var mayHaveCommonPieces: Bool {
        let pieces = pieces(.pieces)
        return pieces.count == 1 && pieces[0].words.joined().unicodeScalars.count <= 5
    }

    /// The terms that are looked for as words.
    func whole(_ phase: Phase) -> [SearchTerm] {
        terms.filter { phase == .words || $0.piecePattern == nil }
    }

    /// What the index knows of a phase's words, the author and the dates: parts of a `tsquery`.
    func entries(_ phase: Phase) -> [String] {
        namedEntries(phase) + (dateEntry.map { [$0] } ?? [])
    }

    /// The same without the dates.
    func namedEntries(_ phase: Phase) -> [String] {
        Self.entries(of: whole(phase)) + (author.map { ["'author:\($0)'"] } ?? [])
    }

    /// What the index may be asked for: its entries, of pieces the beginnings of words that are as common
    /// as the pieces can be taken to be. In both phases the same.
    var askable: [String] { entries(.words) }

    static func entries(of terms: [SearchTerm]) -> [String] {
        var seen: Set<String> = []
        return terms.flatMap(\.tokens)
            .map { "'\($0.text)'\($0.isPrefix ? ":*" : "")" }
            .filter { seen.insert($0).inserted }
    }

    /// The months between two dates, at most three years of them. A search without a first date is not
    /// narrowed so: what is newest is found soon.
    private var dateEntry: String? {
        guard let from else { return nil }
        let first = from.month
        let last = (to ?? .now).month
        return first <= last && last - first < 36 ? (first...last).entry : nil
    }
}

extension ClosedRange<Int> {
    /// Months as the index is asked for them.
    var entry: String { "(\(map { "'month:\($0)'" }.joined(separator: " | ")))" }
}
