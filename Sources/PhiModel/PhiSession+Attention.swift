// Attention of a pass, and storing of new keys and values.

import Checkpoints
import PhiKernels

extension PhiSession {
    /// The sequences of a pass for the kernels. Valid until the pass ends.
    func sequences(of batch: [SequenceStep]) -> [phi_sequence] {
        var firstRow = 0
        return batch.map { step in
            defer { firstRow += step.tokens.count }
            return phi_sequence(
                first_row: firstRow,
                query_count: step.tokens.count,
                first_position: step.cache.count,
                pages: step.cache.pageStarts
            )
        }
    }

    /// hidden += output(attention(norm(hidden))); stores the new keys and values in the caches.
    func attention(
        _ layer: Int,
        _ batch: [SequenceStep],
        _ sequences: [phi_sequence],
        _ rowCount: Int
    ) {
        let weights = model.weights.layers[layer]
        multiplyNormed(
            weights.queryKeyValue,
            weights.inputNorm,
            rowCount: rowCount,
            to: scratch.queryKeyValue.start
        )
        rotateAndStore(layer, batch, rowCount)
        attend(layer, sequences)
        multiply(
            weights.output,
            scratch.attended.start,
            rowCount: rowCount,
            to: scratch.normed.start
        )
        addNormed(rowCount)
    }

    /// Rotates the queries and keys of all rows, which are adjacent, and stores keys and values in
    /// the caches.
    private func rotateAndStore(_ layer: Int, _ batch: [SequenceStep], _ rowCount: Int) {
        var targets: [UnsafeMutableRawPointer] = []
        targets.reserveCapacity(rowCount)
        for step in batch {
            for index in step.tokens.indices {
                let position = step.cache.count + index
                targets.append(step.cache.keyStart(layer: layer, position: position))
            }
        }
        let rows = RotatedRows(self, targets)
        team.forEachRow(rowCount) { rows.rotateAndStore($0) }
    }

    /// attended = attention of all rows.
    private func attend(_ layer: Int, _ sequences: [phi_sequence]) {
        let shape = model.cacheShape
        let sparsity = sparsity(of: layer)
        withUnsafePointer(to: sparsity ?? phi_block_sparsity()) { sparsePointer in
            sequences.withUnsafeBufferPointer { sequences in
                var attention = phi_attention(
                    sequences: sequences.baseAddress,
                    sequence_count: sequences.count,
                    queries: scratch.queryKeyValue.start,
                    query_stride: sizes.queryKeyValueWidth,
                    group_stride: sizes.heads.groupStride,
                    first_head: phi_cached_head(
                        pages: nil,
                        page_positions: KeyValuePool.pagePositions,
                        type: shape.type,
                        keys_offset: KeyValueCache.keysOffset(layer: layer, shape),
                        values_offset: KeyValueCache.valuesOffset(layer: layer, shape)
                    ),
                    head_count: sizes.headCount,
                    key_head_count: sizes.keyHeadCount,
                    head_size: sizes.headSize,
                    scale: sizes.attentionScale,
                    sparsity: sparsity == nil ? nil : sparsePointer,
                    scores: nil,
                    score_count: 0,
                    output: scratch.attended.start
                )
                attention.score_count = phi_score_count(&attention)
                scratch.scores.reserve(team.threadCount * attention.score_count)
                attention.scores = scratch.scores.start
                phi_team_attend(team.pointer, model.kernels.table, &attention)
            }
        }
    }

    /// The blocks that a layer's attention sees; nil for all.
    private func sparsity(of layer: Int) -> phi_block_sparsity? {
        guard let pattern = model.configuration.design.sparsity, layer.isMultiple(of: 2) else {
            return nil
        }
        return phi_block_sparsity(
            block_positions: pattern.blockPositions,
            local_blocks: pattern.localBlocks,
            stride: pattern.stride
        )
    }
}

/// Rows of queries, keys and values, and the addresses for the latter two.
private struct RotatedRows {
    private let kernels: phi_kernels
    private let sizes: Dimensions
    private let shape: KeyValuePool.Shape
    private let queryKeyValue: UnsafeMutablePointer<Float>
    private let cosines: UnsafeMutablePointer<Float>
    private let sines: UnsafeMutablePointer<Float>
    /// The address for each row's first key.
    private let targets: [UnsafeMutableRawPointer]
    /// The distance from a layer's keys to its values, and between heads, in bytes.
    private let valuesDistance: Int
    private let headDistance: Int

    init(_ session: borrowing PhiSession, _ targets: [UnsafeMutableRawPointer]) {
        kernels = session.kernels
        sizes = session.sizes
        shape = session.model.cacheShape
        queryKeyValue = session.scratch.queryKeyValue.start
        cosines = session.scratch.cosines.start
        sines = session.scratch.sines.start
        self.targets = targets
        valuesDistance = KeyValueCache.valuesOffset(layer: 0, shape)
        headDistance = valuesDistance / shape.headCount
    }

    func rotateAndStore(_ row: Int) {
        let half = sizes.rotaryPairs
        let size = sizes.headSize
        let group = sizes.headCount / sizes.keyHeadCount
        let places = sizes.heads
        let start = queryKeyValue + row * sizes.queryKeyValueWidth
        let cosines = cosines + row * half
        let sines = sines + row * half
        for head in 0..<sizes.keyHeadCount {
            let queries = start + head * places.groupStride
            for query in 0..<group { kernels.rotate(queries + query * size, cosines, sines, half) }
            let key = start + places.keyStart + head * places.keyStride
            let value = start + places.valueStart + head * places.keyStride
            kernels.rotate(key, cosines, sines, half)
            let target = targets[row] + head * headDistance
            kernels.store(key, size, shape.type, target)
            kernels.store(value, size, shape.type, target + valuesDistance)
        }
    }
}
