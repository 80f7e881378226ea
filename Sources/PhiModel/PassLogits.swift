// The logits of a pass without a copy.

/// The logits of a pass, in its session's memory. The reader may modify them, until the session's
/// next pass. Owned by the session's thread; not Sendable.
package struct PassLogits {
    private let start: UnsafeMutablePointer<Float>
    private let vocabularyCount: Int
    /// The first row of each step, and the end of the last one.
    private let firstRows: [Int]

    init(start: UnsafeMutablePointer<Float>, vocabularyCount: Int, firstRows: [Int]) {
        self.start = start
        self.vocabularyCount = vocabularyCount
        self.firstRows = firstRows
    }

    /// The logits after one of a step's tokens.
    /// - Parameters:
    ///   - row: 0 for the first token of the step whose logits were requested.
    ///   - step: the index of the step in the batch.
    /// - Returns: [vocabularyCount] numbers, which may be modified.
    package func row(_ row: Int, of step: Int) -> UnsafeMutableBufferPointer<Float> {
        let index = firstRows[step] + row
        precondition(
            (firstRows[step]..<firstRows[step + 1]).contains(index),
            "logits that were not wanted"
        )
        return UnsafeMutableBufferPointer(
            start: start + index * vocabularyCount,
            count: vocabularyCount
        )
    }
}
