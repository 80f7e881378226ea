// The number of prompt tokens that a pass reads beside running answers. A value owned by the
// scheduler.
//
// A pass reads all weights once, however few tokens it computes. So a few prompt tokens in each
// pass slow down all passes for little progress, while the same number collected in one pass costs
// only their rows. Each pass of running answers therefore earns credit for what it costs without
// prompts, in rows (tokens); prompt tokens are paid from it, many at once. A long prompt gets no
// more time than the answers, which keep half of their speed. Short prompts get twice as much,
// since an answer follows each: sooner or later that answer costs the others a reading of the
// weights for each of its tokens, unless it runs together with theirs. With at most half of the
// time, eight conversations that alternate between questions and answers get stuck with two running
// answers and six waiting questions.
//
// The cost of a row relative to that of a pass depends on the processor and on the length of the
// prompt, so passes are timed.

/// The credit, in rows, that running answers have earned for prompts.
struct PromptCredit: Hashable {
    /// Maximum prompt tokens of a pass.
    private static let sliceMax = 64

    /// Initial values for the slice and for the cost of reading the weights in rows, until passes
    /// have been timed: slightly less than measured for Phi-3.5-mini on two cores with AVX-512
    /// VNNI.
    private static let firstSlice = 32.0
    private static let firstPassRows = 5.0

    /// Maximum pause of an answer for a prompt, in seconds, unless two passes without a prompt take
    /// longer; half of the allowed pause, since a busy machine takes longer.
    private static let stillSeconds = 0.75

    /// The fraction of a pass' cost that it earns for long prompts, below 1 since costs are
    /// estimates; and for short ones.
    private static let longShare = 0.7
    private static let shortShare = 2.0

    /// Maximum unread tokens of a short prompt.
    static let shortMax = sliceMax

    /// Maximum number of passes whose credit is collected.
    private static let passesMax = 6.0

    /// Passes with fewer prompt tokens say less about the cost of one, and are not used for its
    /// first estimate.
    private static let tellingCount = 8

    /// The time of a pass without prompt tokens, and the additional time for each prompt token, in
    /// seconds.
    private var passSeconds: Double?
    private var rowSeconds: Double?

    /// Full at first: no answer has been delayed yet, and prompts that arrive together with them,
    /// or a short one beside an answer that has run for a while, are read at once.
    private var rows = PromptCredit.firstSlice

    /// Adds the credit of a pass of running answers, and pays the prompt tokens that it reads.
    ///
    /// It pays only for all wanted tokens or a whole slice, which is available after at most six
    /// passes.
    /// - Parameters:
    ///   - wanted: the number of prompt tokens available for the pass.
    ///   - growingCount: the number of answers that get a token in it.
    ///   - hasShort: whether there is a short prompt among them.
    /// - Returns: the number of prompt tokens to read; 0 to collect credit.
    mutating func pay(upTo wanted: Int, beside growingCount: Int, hasShort: Bool) -> Int {
        let earned = earnedRows(growingCount, hasShort: hasShort)
        let slice = slice(earning: earned)
        // At least every second pass reads no prompt, so that its time can be measured.
        rows = min(slice, rows + min(earned, max(1, slice / 2)))
        let count = min(wanted, Int(slice))
        guard Double(count) <= rows else { return 0 }
        rows -= Double(count)
        return count
    }

    /// Fills the credit, when no answer is running.
    mutating func fill() { rows = Double(Self.sliceMax) }

    /// Records the time of a pass of running answers with this number of prompt tokens.
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

    /// The rows that a pass earns, at least one.
    private func earnedRows(_ growingCount: Int, hasShort: Bool) -> Double {
        guard let passSeconds, let rowSeconds else {
            return Self.firstPassRows + Double(growingCount)
        }
        let most = Double(Self.sliceMax)
        guard passSeconds < rowSeconds * most else { return most }
        let share = hasShort ? Self.shortShare : Self.longShare
        return max(1, share * passSeconds / rowSeconds)
    }

    /// The maximum credit in rows, and so the maximum prompt tokens of a pass. It bounds the pauses
    /// of answers and of prompts.
    private func slice(earning earned: Double) -> Double {
        guard let passSeconds, let rowSeconds else { return Self.firstSlice }
        let left = max(Self.stillSeconds - passSeconds, passSeconds)
        let most = Double(Self.sliceMax)
        let bearable = left < rowSeconds * most ? left / rowSeconds : most
        return max(1, min(bearable, Self.passesMax * earned).rounded(.down))
    }

    /// A moving average over a few passes. A single measurement counts at most double the average,
    /// since a pause of the machine says nothing about its speed.
    private static func average(
        _ known: Double?,
        _ seconds: Double,
        weight: Double = 1
    ) -> Double {
        guard let known, known > 0 else { return seconds }
        return known + (min(seconds, 2 * known) - known) * weight / 4
    }
}
