// What a pass gives, before anybody has copied it.

/// The logits of a pass, in its session's memory: the reader's own, to write to as well, until the
/// session's next pass. Owned by the session's thread; not Sendable.
package struct PassLogits {
    private let start: UnsafeMutablePointer<Float>
    private let vocabularyCount: Int
    /// Where each step's rows begin, and where the last one's end.
    private let firstRows: [Int]

    init(start: UnsafeMutablePointer<Float>, vocabularyCount: Int, firstRows: [Int]) {
        self.start = start
        self.vocabularyCount = vocabularyCount
        self.firstRows = firstRows
    }

    /// The logits after one of a step's tokens.
    /// - Parameters:
    ///   - row: 0 for the first token of the step that logits were wanted after.
    ///   - step: the step's place in the batch.
    /// - Returns: [vocabularyCount] numbers, to read and to write.
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
