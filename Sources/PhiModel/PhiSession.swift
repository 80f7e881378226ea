// Forward passes. The computation is that of mlx-lm's models phi3, phi, phimoe and phi3small. For
// phi3, which is transformers' modeling_phi3.py without the sliding window:
//
//     x = embedding[tokens]
//     for each layer:
//         x += output(attention(rope(q), rope(k), v)),   q, k, v = queryKeyValue(norm(x))
//         x += contract(silu(gate) * up),                gate, up = expand(norm(x))
//     logits = head(norm(x))
//
// `LayerDesign` says how the others differ.

package import Checkpoints

/// Threads and buffers for forward passes of one model.
///
/// Owned by one thread at a time, that of an engine; not Sendable. The caches of its sequences have
/// the same owner.
public final class PhiSession {
    /// The model.
    public let model: PhiModel
    /// The maximum number of tokens in a pass.
    public let tokenCountMax: Int

    private(set) var team: ThreadTeam
    var scratch: Scratch
    /// The rows of the current product that adapters change; empty between passes.
    var adaptedRows: [AdaptedRows] = []

    init(model: PhiModel, threadCount: Int, tokenCountMax: Int) {
        precondition(tokenCountMax > 0, "a pass has at least one token")
        self.model = model
        self.tokenCountMax = tokenCountMax
        team = ThreadTeam(threadCount: threadCount)
        scratch = Scratch(model.sizes, rowCount: tokenCountMax)
    }

    /// The number of threads; fewer than requested if the system has no more.
    public var threadCount: Int { team.threadCount }

    /// The memory reserved for passes, in bytes. Parts that no pass has used yet are not allocated.
    public var byteCount: Int { scratch.byteCount }

    /// A pass over several sequences, which adds their tokens to their caches.
    ///
    /// The result of a sequence depends neither on the others in the batch, nor on how its tokens
    /// are split into passes, nor on the number of threads: it is bitwise equal.
    /// - Returns: for each step, the logits [vocabularyCount] after its last token, or nil if none
    ///   were requested.
    /// - Throws: `ForwardError` before anything has changed, except that pages may have been
    ///   allocated.
    public func forward(_ batch: [SequenceStep]) throws(ForwardError) -> [[Float]?] {
        let logits = try compute(batch)
        return batch.enumerated().map { index, step -> [Float]? in
            step.logitsCount > 0 ? Array(logits.row(step.logitsCount - 1, of: index)) : nil
        }
    }

    /// Like `forward`, but returns all requested logits in the session's memory without a copy.
    package func compute(_ batch: [SequenceStep]) throws(ForwardError) -> PassLogits {
        let rowCount = try check(batch)
        for step in batch { try step.cache.reserve(step.tokens.count) }
        adapt(batch)
        defer { adaptedRows = [] }
        if rowCount > 0 { computeHidden(batch, rowCount) }

        // The last rows of each step with requested logits.
        var rows: [Int] = []
        var firstRows: [Int] = []
        var end = 0
        for step in batch {
            firstRows.append(rows.count)
            end += step.tokens.count
            rows += end - step.logitsCount..<end
        }
        selectAdaptedRows(rows)
        computeLogits(rows: rows)
        return PassLogits(
            start: scratch.logits.start,
            vocabularyCount: model.vocabularyCount,
            firstRows: firstRows + [rows.count]
        )
    }

    /// Like `forward` for one sequence, but with the logits after every token; for comparison with
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

    /// Like `compute`, with other threads in place of the session's own.
    package func compute(
        _ batch: [SequenceStep],
        on team: ThreadTeam
    ) throws(ForwardError) -> PassLogits {
        let own = self.team
        self.team = team
        defer { self.team = own }
        return try compute(batch)
    }

    /// Validates `batch` and returns its number of tokens.
    private func check(_ batch: [SequenceStep]) throws(ForwardError) -> Int {
        var rowCount = 0
        for (index, step) in batch.enumerated() {
            precondition(!step.tokens.isEmpty, "a step has at least one token")
            precondition(
                (0...step.tokens.count).contains(step.logitsCount),
                "logits after tokens that are not there"
            )
            precondition(step.cache.pool.shape == model.cacheShape, "a cache of another model")
            precondition(step.adapter?.fits(model) ?? true, "an adapter of another model")
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

    /// Computes the final residual stream of all rows in `scratch.hidden`, and fills the caches.
    private func computeHidden(_ batch: [SequenceStep], _ rowCount: Int) {
        embed(batch)
        prepareRotation(batch)
        let sequences = sequences(of: batch)
        for layer in model.weights.layers.indices {
            compute(layer: layer, batch, sequences, rowCount)
        }
        for step in batch {
            step.cache.advance(by: step.tokens.count)
        }
    }

    /// Computes the logits of these rows of `scratch.hidden` in `scratch.logits`.
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
        adjustLogits(rowCount: rows.count)
    }

    /// Scales logits and hides rows without a token, for architectures that do.
    private func adjustLogits(rowCount: Int) {
        let design = model.configuration.design
        let count = model.vocabularyCount
        if design.logitScale != 1 {
            let scale = Float(design.logitScale)
            for index in 0..<rowCount * count { scratch.logits.start[index] *= scale }
        }
        for token in design.unusedTokens {
            for row in 0..<rowCount { scratch.logits.start[row * count + Int(token)] = -.infinity }
        }
    }
}
