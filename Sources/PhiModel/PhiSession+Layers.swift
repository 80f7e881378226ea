// The steps of a pass, each over all rows of the batch.

import PhiKernels

extension PhiSession {
    var kernels: phi_kernels { model.kernels.table.pointee }
    private var sizes: Dimensions { model.sizes }

    /// hidden = embedding[tokens], dequantized.
    func embed(_ batch: [SequenceStep]) {
        let hiddenSize = sizes.hidden
        var target = scratch.hidden.start
        withUnsafePointer(to: model.weights.embedding.storage) { matrix in
            for token in batch.lazy.flatMap(\.tokens) {
                kernels.decode_row(matrix, Int(token), target)
                target += hiddenSize
            }
        }
    }

    /// The cosines and sines of every row's position, used by all layers.
    func prepareRotation(_ batch: [SequenceStep]) {
        let half = sizes.rotaryPairs
        var row = 0
        for step in batch {
            for index in step.tokens.indices {
                model.frequencies.write(
                    position: step.cache.count + index,
                    factors: step.cache.ropeFactors,
                    cosines: scratch.cosines.start + row * half,
                    sines: scratch.sines.start + row * half
                )
                row += 1
            }
        }
    }

    /// hidden += output(attention(norm(hidden))), and the new keys and values into the caches.
    func attention(_ layer: Int, _ batch: [SequenceStep], _ rowCount: Int) {
        let weights = model.weights.layers[layer]
        normAll(weights.inputNorm, rowCount)
        multiply(
            weights.queryKeyValue,
            scratch.normed.start,
            rowCount: rowCount,
            to: scratch.queryKeyValue.start
        )
        rotate(rowCount)
        var firstRow = 0
        for step in batch {
            store(step, layer, firstRow: firstRow)
            attend(step, layer, firstRow: firstRow)
            firstRow += step.tokens.count
        }
        multiply(
            weights.output,
            scratch.attended.start,
            rowCount: rowCount,
            to: scratch.normed.start
        )
        addNormed(rowCount)
    }

    /// hidden += down(silu(gate) * up).
    func feedForward(_ layer: Int, _ rowCount: Int) {
        let weights = model.weights.layers[layer]
        let middle = sizes.middle
        normAll(weights.postAttentionNorm, rowCount)
        multiply(
            weights.gateUp,
            scratch.normed.start,
            rowCount: rowCount,
            to: scratch.gateUp.start
        )
        let gateUp = scratch.gateUp.start
        let gated = scratch.gated.start
        let kernels = kernels
        team.forEachRow(rowCount) { row in
            let gate = gateUp + row * 2 * middle
            kernels.gate(gate, gate + middle, middle, gated + row * middle)
        }
        multiply(weights.down, scratch.gated.start, rowCount: rowCount, to: scratch.normed.start)
        addNormed(rowCount)
    }

    /// output [H] = RMSNorm(input [H]).
    func norm(
        _ input: UnsafePointer<Float>,
        _ weight: [Float],
        to output: UnsafeMutablePointer<Float>
    ) {
        kernels.rms_norm(
            input,
            weight,
            weight.count,
            sizes.normEpsilon,
            output
        )
    }

    /// normed = RMSNorm(hidden), row by row.
    private func normAll(_ weight: [Float], _ rowCount: Int) {
        let hidden = scratch.hidden.start
        let normed = scratch.normed.start
        team.forEachRow(rowCount) { row in
            norm(
                hidden + row * weight.count,
                weight,
                to: normed + row * weight.count
            )
        }
    }

    /// hidden += normed.
    private func addNormed(_ rowCount: Int) {
        kernels.add(
            scratch.hidden.start,
            scratch.normed.start,
            rowCount * sizes.hidden
        )
    }

    /// Rotates the queries and keys of all rows; they stand side by side.
    private func rotate(_ rowCount: Int) {
        let sizes = sizes
        let half = sizes.rotaryPairs
        let queryKeyValue = scratch.queryKeyValue.start
        let cosines = scratch.cosines.start
        let sines = scratch.sines.start
        let kernels = kernels
        team.forEachRow(rowCount) { row in
            let heads = queryKeyValue + row * sizes.queryKeyValueWidth
            for head in 0..<sizes.headCount + sizes.keyHeadCount {
                kernels.rotate(
                    heads + head * sizes.headSize,
                    cosines + row * half,
                    sines + row * half,
                    half
                )
            }
        }
    }

    /// Puts the keys and values of the step's rows, from `firstRow` on, into its cache.
    private func store(_ step: SequenceStep, _ layer: Int, firstRow: Int) {
        for index in step.tokens.indices {
            let row = scratch.queryKeyValue.start + (firstRow + index) * sizes.queryKeyValueWidth
            let keys = row + sizes.queryWidth
            step.cache.store(
                layer: layer,
                position: step.cache.count + index,
                keys: keys,
                values: keys + sizes.keyWidth
            )
        }
    }

    /// attended = attention of the step's rows, from `firstRow` on, over its cache.
    private func attend(_ step: SequenceStep, _ layer: Int, firstRow: Int) {
        let keyCount = step.cache.count + step.tokens.count
        scratch.scores.reserve(team.threadCount * keyCount)
        var attention = phi_attention(
            queries: scratch.queryKeyValue.start + firstRow * sizes.queryKeyValueWidth,
            query_stride: sizes.queryKeyValueWidth,
            query_count: step.tokens.count,
            first_position: step.cache.count,
            keys: step.cache.keys(layer: layer),
            values: step.cache.values(layer: layer),
            capacity: step.cache.capacity,
            head_count: sizes.headCount,
            key_head_count: sizes.keyHeadCount,
            head_size: sizes.headSize,
            scale: 1 / Float(sizes.headSize).squareRoot(),
            scores: scratch.scores.start,
            scores_stride: keyCount,
            output: scratch.attended.start + firstRow * sizes.queryWidth
        )
        phi_team_attend(team.pointer, model.kernels.table, &attention)
    }
}
