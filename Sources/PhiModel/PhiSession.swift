// Passes through a model. The arithmetic is mlx-lm's models/phi3.py, which is transformers'
// modeling_phi3.py but for the sliding window, which neither mlx-lm nor this applies:
//
//     x = embedding[tokens]
//     for each layer:
//         x += output(attention(rope(q), rope(k), v)),   q, k, v = queryKeyValue(norm(x))
//         x += down(silu(gate) * up),                    gate, up = gateUp(norm(x))
//     logits = head(norm(x))

package import Checkpoints

/// Threads and buffers for passes through one model.
///
/// Owned by one thread at a time, an engine's; not Sendable. The caches of its sequences belong to
/// the same owner.
public final class PhiSession {
    /// The model.
    public let model: PhiModel
    /// The most tokens of one pass.
    public let tokenCountMax: Int

    let team: ThreadTeam
    var scratch: Scratch

    init(model: PhiModel, threadCount: Int, tokenCountMax: Int) {
        precondition(tokenCountMax > 0, "a pass has at least one token")
        self.model = model
        self.tokenCountMax = tokenCountMax
        team = ThreadTeam(threadCount: threadCount)
        scratch = Scratch(model.sizes, rowCount: tokenCountMax)
    }

    /// The number of threads that share a pass; fewer than asked for where the system has no more.
    public var threadCount: Int { team.threadCount }

    /// The memory that is reserved for the session's passes, in bytes. What a pass has not reached
    /// yet takes no memory of the system's.
    public var byteCount: Int { scratch.byteCount }

    /// One pass over several sequences, which then have their tokens in their caches.
    ///
    /// A sequence's result does not depend on the others in the batch, nor on how its tokens are
    /// cut into passes, nor on the number of threads: it is the same to the last bit.
    /// - Returns: for each step, the logits [vocabularyCount] after its last token, or nil where
    ///   they are not wanted.
    /// - Throws: `ForwardError` before anything has changed but pages that were taken beforehand.
    public func forward(_ batch: [SequenceStep]) throws(ForwardError) -> [[Float]?] {
        let logits = try compute(batch)
        return batch.enumerated().map { index, step -> [Float]? in
            step.logitsCount > 0 ? Array(logits.row(step.logitsCount - 1, of: index)) : nil
        }
    }

    /// As `forward`, but all logits that are wanted, and where the session has them: nothing is
    /// copied.
    package func compute(_ batch: [SequenceStep]) throws(ForwardError) -> PassLogits {
        let rowCount = try check(batch)
        for step in batch { try step.cache.reserve(step.tokens.count) }
        if rowCount > 0 { computeHidden(batch, rowCount) }

        // The last rows of each step that wants logits.
        var rows: [Int] = []
        var firstRows: [Int] = []
        var end = 0
        for step in batch {
            firstRows.append(rows.count)
            end += step.tokens.count
            rows += end - step.logitsCount..<end
        }
        computeLogits(rows: rows)
        return PassLogits(
            start: scratch.logits.start,
            vocabularyCount: model.vocabularyCount,
            firstRows: firstRows + [rows.count]
        )
    }

    /// As `forward` for one sequence, but with the logits after every token; for comparison with
    /// reference values.
    package func logitsOfAllPositions(
        _ tokens: [TokenID],
        cache: KeyValueCache
    ) throws(ForwardError) -> [[Float]] {
        let logits = try compute([
            SequenceStep(tokens: tokens, cache: cache, logitsCount: tokens.count)
        ])
        return tokens.indices.map { Array(logits.row($0, of: 0)) }
    }

    /// The number of tokens of `batch`, if all is well with it.
    private func check(_ batch: [SequenceStep]) throws(ForwardError) -> Int {
        var rowCount = 0
        for (index, step) in batch.enumerated() {
            precondition(!step.tokens.isEmpty, "a step has at least one token")
            precondition(
                (0...step.tokens.count).contains(step.logitsCount),
                "logits after tokens that are not there"
            )
            precondition(step.cache.pool.shape == model.cacheShape, "a cache of another model")
            precondition(
                !batch[..<index].contains { $0.cache === step.cache },
                "two steps share a cache"
            )
            let needed = step.cache.count + step.tokens.count
            guard needed <= step.cache.capacity else {
                throw .cacheFull(capacity: step.cache.capacity, needed: needed)
            }
            for token in step.tokens
            where !(0..<model.vocabularyCount).contains(Int(token)) {
                throw .tokenOutOfRange(token, vocabularyCount: model.vocabularyCount)
            }
            rowCount += step.tokens.count
        }
        guard rowCount <= tokenCountMax else {
            throw .batchTooLarge(count: rowCount, limit: tokenCountMax)
        }
        return rowCount
    }

    /// Fills `scratch.hidden` with the final residual stream of all rows, and the caches.
    private func computeHidden(_ batch: [SequenceStep], _ rowCount: Int) {
        embed(batch)
        prepareRotation(batch)
        let sequences = sequences(of: batch)
        for layer in model.weights.layers.indices {
            attention(layer, batch, sequences, rowCount)
            feedForward(layer, rowCount)
        }
        for step in batch {
            step.cache.advance(by: step.tokens.count)
        }
    }

    /// Fills `scratch.logits` with the logits of these rows of `scratch.hidden`.
    private func computeLogits(rows: [Int]) {
        guard !rows.isEmpty else { return }
        let hiddenSize = model.sizes.hidden
        scratch.logits.reserve(rows.count * model.vocabularyCount)
        let hidden = scratch.hidden.start
        let normed = scratch.normed.start
        multiply(
            model.weights.head,
            normed,
            rowCount: rows.count,
            to: scratch.logits.start
        ) { index in
            norm(
                hidden + rows[index] * hiddenSize,
                model.weights.finalNorm,
                to: normed + index * hiddenSize
            )
        }
    }
}
