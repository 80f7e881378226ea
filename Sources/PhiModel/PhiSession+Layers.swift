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
        multiplyNormed(
            weights.gateUp,
            weights.postAttentionNorm,
            rowCount: rowCount,
            to: scratch.gateUp.start
        )
        let gateUp = scratch.gateUp.start
        let gated = scratch.gated.start
        let kernels = kernels
        multiply(weights.down, gated, rowCount: rowCount, to: scratch.normed.start) { row in
            let gate = gateUp + row * 2 * middle
            kernels.gate(gate, gate + middle, middle, gated + row * middle)
        }
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

    /// output [rowCount, matrix.rows] = RMSNorm(hidden) matrix^T.
    func multiplyNormed(
        _ matrix: WeightMatrix,
        _ weight: [Float],
        rowCount: Int,
        to output: UnsafeMutablePointer<Float>
    ) {
        let hidden = scratch.hidden.start
        let normed = scratch.normed.start
        multiply(matrix, normed, rowCount: rowCount, to: output) { row in
            norm(hidden + row * weight.count, weight, to: normed + row * weight.count)
        }
    }

    /// hidden += normed.
    func addNormed(_ rowCount: Int) {
        let hidden = scratch.hidden.start
        let normed = scratch.normed.start
        let hiddenSize = sizes.hidden
        let kernels = kernels
        team.forEachRow(rowCount) { row in
            kernels.add(hidden + row * hiddenSize, normed + row * hiddenSize, hiddenSize)
        }
    }
}
