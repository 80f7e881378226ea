// The number of draft tokens in a pass: as many as increase the speed, by the recent acceptance
// rate and the time of passes with more rows.

/// Chooses draft tokens. A value without tensors, clock or thread; its tests are tables.
package struct DraftPolicy: Sendable {
    /// A draft.
    package struct Candidate: Sendable {
        /// The number of draft tokens.
        package var count: Int
        /// The acceptance probability of the first token, and of each further one if those before
        /// it are accepted.
        package var acceptance: Double

        /// Creates a candidate.
        package init(count: Int, acceptance: Double) {
            self.count = count
            self.acceptance = acceptance
        }
    }

    /// Minimum expected speed-up for drafts.
    private static let gainMin = 1.05
    /// Minimum acceptance probability of a draft token, however cheap rows seem.
    private static let chanceMin = 0.1
    /// Maximum slow-down of a pass by drafts if several answers run, since answers without drafts
    /// wait for it.
    private static let slowdownMax = 1.5

    /// The cost of passes.
    package var cost = PassCost()

    /// Creates a policy without measurements.
    package init() {}

    /// Chooses the number of draft tokens of each candidate.
    /// - Parameters:
    ///   - candidates: all running answers, each of which computes one row in any case; count 0 for
    ///     those without a draft.
    ///   - draftsMax: the maximum number of draft tokens of a pass.
    /// - Returns: a number for each candidate, 0 if drafts do not pay off.
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

    /// The acceptance probabilities of all draft tokens, descending; tokens of one draft stay in
    /// order.
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
