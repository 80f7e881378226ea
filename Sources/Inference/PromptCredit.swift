// How many prompt tokens a pass reads while answers grow. A value; the scheduler owns it.
//
// A pass reads all weights once, however few tokens it computes. So a few prompt tokens in each pass
// slow all passes for little, and the same number saved up for one pass costs their rows alone. Each
// pass of growing answers therefore earns what it costs without prompts, in rows (tokens); prompt
// tokens are paid from that, many at once. A long prompt takes no more time than the answers: they keep
// half of their pace. Short ones, questions, take the double, as there is an answer to come for each:
// sooner or later it costs the others a reading of the weights for each of its tokens, unless it grows
// together with theirs. With no more than half of the time, eight conversations that ask and answer in
// turn get stuck where two answers grow and six questions wait.
//
// What a row costs by what a pass costs depends on the processor, and on how far the prompt has been
// read: passes are timed.

/// Rows that growing answers have earned for the prompts beside them.
struct PromptCredit: Hashable {
    /// The most prompt tokens of one pass.
    private static let sliceMax = 64

    /// The same, and what reading the weights costs in rows, until passes were timed: somewhat less
    /// than Phi-3.5-mini's were measured at on two cores with AVX-512 VNNI.
    private static let firstSlice = 32.0
    private static let firstPassRows = 5.0

    /// How long an answer stands still for a prompt, in seconds, where that is more than the time of
    /// two passes without one; half of what it may, as a machine that does other things, too, takes
    /// longer.
    private static let stillSeconds = 0.75

    /// Of what a pass costs, the part that it earns for long prompts, as what is known of the costs is
    /// an estimate; and for short ones.
    private static let longShare = 0.7
    private static let shortShare = 2.0

    /// The most unread tokens of a short prompt.
    static let shortMax = sliceMax

    /// The passes that are saved up for one that reads, at most.
    private static let passesMax = 6.0

    /// Passes with fewer prompt tokens say less of what one costs, and nothing at first.
    private static let tellingCount = 8

    /// What a pass of the answers alone takes, in seconds, and what a prompt token adds to one.
    private var passSeconds: Double?
    private var rowSeconds: Double?

    /// Full at first: answers that begin have been kept waiting by no prompt yet, and who asks
    /// together with them, or a short question beside an answer that has grown for a while, is read
    /// at once.
    private var rows = PromptCredit.firstSlice

    /// Earns what a pass of growing answers costs, and pays the prompt tokens that it reads.
    ///
    /// It pays only for as many as are worth a pass: all that are wanted, or a whole slice, which is
    /// there after six passes at most.
    /// - Parameters:
    ///   - wanted: the prompt tokens that the pass could read.
    ///   - growingCount: the answers that get a token in it.
    ///   - hasShort: whether a short prompt is among those that it could read.
    /// - Returns: how many it reads; 0 where it is better to save.
    mutating func pay(upTo wanted: Int, beside growingCount: Int, hasShort: Bool) -> Int {
        let earned = earnedRows(growingCount, hasShort: hasShort)
        let slice = slice(earning: earned)
        // Every second pass, at least, reads nothing: what it takes has to be known.
        rows = min(slice, rows + min(earned, max(1, slice / 2)))
        let count = min(wanted, Int(slice))
        guard Double(count) <= rows else { return 0 }
        rows -= Double(count)
        return count
    }

    /// Fills the credit, as while no answer grew.
    mutating func fill() { rows = Double(Self.sliceMax) }

    /// Learns what a pass of growing answers took that read so many prompt tokens beside them.
    mutating func note(promptCount: Int, took duration: Duration) {
        let seconds = duration / .seconds(1)
        if promptCount == 0 {
            passSeconds = Self.average(passSeconds, seconds)
        } else if let passSeconds, rowSeconds != nil || promptCount >= Self.tellingCount {
            let added = max(seconds - passSeconds, 0) / Double(promptCount)
            let weight = min(1, Double(promptCount) / Double(Self.tellingCount))
            rowSeconds = Self.average(rowSeconds, added, weight: weight)
        }
    }

    /// The rows that a pass earns, one at least.
    private func earnedRows(_ growingCount: Int, hasShort: Bool) -> Double {
        guard let passSeconds, let rowSeconds else {
            return Self.firstPassRows + Double(growingCount)
        }
        let most = Double(Self.sliceMax)
        guard passSeconds < rowSeconds * most else { return most }
        let share = hasShort ? Self.shortShare : Self.longShare
        return max(1, share * passSeconds / rowSeconds)
    }

    /// The most rows that are saved up, and so the most prompt tokens of one pass. They bound how long
    /// an answer stands still, and how long a prompt does.
    private func slice(earning earned: Double) -> Double {
        guard let passSeconds, let rowSeconds else { return Self.firstSlice }
        let left = max(Self.stillSeconds - passSeconds, passSeconds)
        let most = Double(Self.sliceMax)
        let bearable = left < rowSeconds * most ? left / rowSeconds : most
        return max(1, min(bearable, Self.passesMax * earned).rounded(.down))
    }

    /// Follows what it is told in a few passes. What is told at once counts as the double at most: a
    /// machine that stood still says nothing of its speed.
    private static func average(
        _ known: Double?,
        _ seconds: Double,
        weight: Double = 1
    ) -> Double {
        guard let known, known > 0 else { return seconds }
        return known + (min(seconds, 2 * known) - known) * weight / 4
    }
}
