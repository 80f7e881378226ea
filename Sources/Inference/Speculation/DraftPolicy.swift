// How many guessed tokens are computed beside those that answers have: as many as bring tokens
// faster than without, by what guesses were worth of late and what a pass of more rows takes.

/// Chooses drafts. A value without tensors, clock or thread; its tests are tables.
package struct DraftPolicy: Sendable {
    /// A guess, as far as the choice goes.
    package struct Candidate: Sendable {
        /// How many tokens are guessed.
        package var count: Int
        /// How likely the first of them is right, and each further one where those before it are.
        package var acceptance: Double

        /// A guess of `count` tokens.
        package init(count: Int, acceptance: Double) {
            self.count = count
            self.acceptance = acceptance
        }
    }

    /// Drafts that promise less than this are not worth the doubt.
    private static let gainMin = 1.05
    /// A draft that is less likely right than this is no draft, however cheap rows seem.
    private static let chanceMin = 0.1
    /// Where several answers grow, those that have no drafts wait for those that have: a pass with
    /// drafts takes at most so much longer.
    private static let slowdownMax = 1.5

    /// What passes take.
    package var cost = PassCost()

    /// The policy of an engine that has not computed yet.
    package init() {}

    /// How many tokens of each guess are computed.
    /// - Parameters:
    ///   - candidates: all answers that grow, each of which computes a row in any case; of those
    ///     that guess nothing the count is 0.
    ///   - draftsMax: the most drafts of a pass.
    /// - Returns: a number for each candidate, 0 where drafts do not pay.
    package func draftCounts(for candidates: [Candidate], draftsMax: Int) -> [Int] {
        let base = candidates.count
        var counts = Array(repeating: 0, count: base)
        guard base > 0 else { return counts }
        let timeMax = base > 1 ? Self.slowdownMax * cost.estimate(rows: base) : .infinity
        let chances = Self.chances(of: candidates)
            .prefix(max(0, min(draftsMax, PassCost.rowsMax - base)))

        var chosen = 0
        var pace = Self.gainMin * Double(base) / cost.estimate(rows: base)
        var tokens = Double(base)
        for (index, chance) in chances.enumerated() {
            tokens += chance.share
            let time = cost.estimate(rows: base + index + 1)
            guard time <= timeMax, tokens / time > pace else { continue }
            chosen = index + 1
            pace = tokens / time
        }
        for chance in chances.prefix(chosen) { counts[chance.candidate] += 1 }
        return counts
    }

    /// How likely each guessed token comes, the likeliest first; of one guess never a later one
    /// before an earlier one.
    private static func chances(
        of candidates: [Candidate]
    ) -> [(share: Double, candidate: Int, position: Int)] {
        var chances: [(share: Double, candidate: Int, position: Int)] = []
        for (index, candidate) in candidates.enumerated() {
            var share = 1.0
            for position in 0..<max(candidate.count, 0) {
                share *= candidate.acceptance
                guard share >= chanceMin else { break }
                chances.append((share, index, position))
            }
        }
        return chances.sorted { left, right in
            if left.share != right.share { return left.share > right.share }
            return (left.position, left.candidate) < (right.position, right.candidate)
        }
    }
}
