// The steps of a pass, each over all rows of the batch.

import PhiKernels

extension PhiSession {
    var kernels: phi_kernels { model.kernels.table.pointee }
    var sizes: Dimensions { model.sizes }

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
    func normAll(_ weight: [Float], _ rowCount: Int) {
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
    func addNormed(_ rowCount: Int) {
        kernels.add(
            scratch.hidden.start,
            scratch.normed.start,
            rowCount * sizes.hidden
        )
    }
}
