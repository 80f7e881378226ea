// How many prompt tokens a pass reads while answers grow. A value; the scheduler owns it.
//
// A pass reads all weights once, however few tokens it computes. That takes as long as several rows
// (tokens) take: on two cores with AVX-512 or AVX2, Phi-3.5-mini's passes were measured at about
// seven rows' time, and a row each. So a few prompt tokens in each pass slow all passes for little,
// and the same number saved up for one pass costs their rows alone. Each pass of growing answers
// therefore earns what it costs without prompts, in rows; prompt tokens are paid from that, many at
// once. Whatever is read, it takes no more time than the answers: they keep half of their pace.

/// Rows that growing answers have earned for the prompts beside them.
struct PromptCredit: Hashable {
    /// The most rows that are saved up, and so the most prompt tokens of one pass. They bound how
    /// long an answer stands still for a prompt.
    private static let slice = 32

    /// What reading the weights costs, in rows; a little less than was measured, as the answers of
    /// other machines, too, should keep half of their pace.
    private static let passRows = 5

    /// Full at first: answers that begin have been kept waiting by no prompt yet, and who asks
    /// together with them, or a short question beside an answer that has grown for a while, is read
    /// at once.
    private var rows = PromptCredit.slice

    /// Earns what a pass of growing answers costs, and pays the prompt tokens that it reads.
    ///
    /// It pays only for as many as are worth a pass: all that are wanted, or a whole slice. As each
    /// pass earns `passRows` and one more at least, that many are there after six passes at most.
    /// - Parameters:
    ///   - wanted: the prompt tokens that the pass could read.
    ///   - growingCount: the answers that get a token in it.
    /// - Returns: how many it reads; 0 where it is better to save.
    mutating func pay(upTo wanted: Int, beside growingCount: Int) -> Int {
        rows = min(Self.slice, rows + Self.passRows + growingCount)
        let count = min(wanted, Self.slice)
        guard count <= rows else { return 0 }
        rows -= count
        return count
    }
}
