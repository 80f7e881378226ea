// The conditions of a search, with folded words and resolved names.

import ChatCore
import ChatProtocol

/// Where and what to search, as the statements need it.
struct SearchConditions {
    /// Which messages match.
    enum Phase: Character {
        /// Messages in which the terms begin words.
        case words = "w"
        /// Other messages in which they are in the middle of words.
        case pieces = "p"
    }

    let user: UserID
    let terms: [SearchTerm]
    let team: TeamID?
    /// The asker's folder and tag, if given.
    let folder: FolderID?
    let tag: String?
    /// The author's id, if an author is given.
    let author: UserID?
    let from: Timestamp?
    let to: Timestamp?

    /// Whether the second phase can find anything.
    var hasPieces: Bool { terms.contains { $0.piecePattern != nil } }

    /// Whether the text itself must be compared.
    func hasComparisons(_ phase: Phase) -> Bool { whole(phase).contains { $0.pattern != nil } }

    /// The terms that are searched as pieces.
    func pieces(_ phase: Phase) -> [SearchTerm] {
        phase == .pieces ? terms.filter { $0.piecePattern != nil } : []
    }

    /// Whether the pieces may occur in many messages: a single short one does, in the middle of
    /// some word; a longer one, or two of them, hardly.
    var mayHaveCommonPieces: Bool {
        let pieces = pieces(.pieces)
        return pieces.count == 1 && pieces[0].words.joined().unicodeScalars.count <= 5
    }

    /// The terms that are searched as words.
    func whole(_ phase: Phase) -> [SearchTerm] {
        terms.filter { phase == .words || $0.piecePattern == nil }
    }

    /// Index conditions for a phase's words, the author and the dates: parts of a `tsquery`.
    func entries(_ phase: Phase) -> [String] {
        namedEntries(phase) + (dateEntry.map { [$0] } ?? [])
    }

    /// The same without dates.
    func namedEntries(_ phase: Phase) -> [String] {
        Self.entries(of: whole(phase)) + (author.map { ["'author:\($0)'"] } ?? [])
    }

    /// The entries that the index can be asked for; for pieces, the words that begin with them,
    /// which are assumed to be as common. The same in both phases.
    var askable: [String] { entries(.words) }

    static func entries(of terms: [SearchTerm]) -> [String] {
        var seen: Set<String> = []
        return terms.flatMap(\.tokens)
            .map { "'\($0.text)'\($0.isPrefix ? ":*" : "")" }
            .filter { seen.insert($0).inserted }
    }

    /// The months between two dates, at most three years. A search without a start date is not
    /// restricted by months: the newest messages are found fast.
    private var dateEntry: String? {
        guard let from else { return nil }
        let first = from.month
        let last = (to ?? .now).month
        return first <= last && last - first < 36 ? (first...last).entry : nil
    }
}

extension ClosedRange<Int> {
    /// Months as an index condition.
    var entry: String { "(\(map { "'month:\($0)'" }.joined(separator: " | ")))" }
}
