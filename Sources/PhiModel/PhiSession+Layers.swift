// The steps of a pass, each over all rows of the batch.

import Checkpoints
import PhiKernels

extension PhiSession {
    var kernels: phi_kernels { model.kernels.table.pointee }
    var sizes: Dimensions { model.sizes }

    /// hidden = embedding[tokens], dequantized and scaled.
    func embed(_ batch: [SequenceStep]) {
        let hiddenSize = sizes.hidden
        var target = scratch.hidden.start
        withUnsafePointer(to: model.weights.embedding.storage) { matrix in
            for token in batch.lazy.flatMap(\.tokens) {
                kernels.decode_row(matrix, Int(token), target)
                target += hiddenSize
            }
        }
        let scale = Float(model.configuration.design.embeddingScale)
        guard scale != 1 else { return }
        let numbers = UnsafeMutableBufferPointer(
            start: scratch.hidden.start,
            count: target - scratch.hidden.start
        )
        for index in numbers.indices { numbers[index] *= scale }
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

    /// A layer of all rows.
    func compute(
        layer index: Int,
        _ batch: [SequenceStep],
        _ sequences: [phi_sequence],
        _ rowCount: Int
    ) {
        let weights = model.weights.layers[index]
        switch weights.feedForward {
        case .sequential(let norm, let mlp):
            attention(index, batch, sequences, rowCount)
            expand(mlp, norm, rowCount)
            contract(mlp, rowCount)
        case .parallel(let mlp):
            // Before attention, which adds to what both read.
            expand(mlp, weights.inputNorm, rowCount)
            attention(index, batch, sequences, rowCount)
            contract(mlp, rowCount)
        case .experts(let norm, let experts):
            attention(index, batch, sequences, rowCount)
            mix(experts, norm, rowCount)
        }
    }

    /// expanded = the MLP's first product of the normed residual stream.
    private func expand(_ mlp: MLPWeights, _ norm: NormWeights, _ rowCount: Int) {
        multiplyNormed(mlp.expand, norm, rowCount: rowCount, to: scratch.expanded.start)
    }

    /// hidden += the MLP's second product of activated rows.
    private func contract(_ mlp: MLPWeights, _ rowCount: Int) {
        multiply(
            mlp.contract,
            scratch.activated.start,
            rowCount: rowCount,
            to: scratch.normed.start
        ) { activate($0) }
        addNormed(rowCount)
    }

    /// activated = the activation of `expanded`, for a row.
    func activate(_ row: Int) {
        let middle = sizes.middle
        let expanded = scratch.expanded.start + row * sizes.expandedWidth
        let activated = scratch.activated.start + row * middle
        switch sizes.activation {
        case .gatedSilu:
            kernels.gate(expanded, expanded + middle, middle, activated)
        case .gelu:
            phi_gelu(model.kernels.table, expanded, middle, activated)
        case .gegelu(let limit):
            phi_gegelu(model.kernels.table, expanded, middle, limit, activated)
        }
    }

    /// output [H] = norm(input [H]).
    func norm(
        _ input: UnsafePointer<Float>,
        _ weights: NormWeights,
        to output: UnsafeMutablePointer<Float>
    ) {
        let count = weights.weight.count
        if weights.bias.isEmpty {
            kernels.rms_norm(input, weights.weight, count, sizes.normEpsilon, output)
        } else {
            phi_layer_norm(
                model.kernels.table,
                input,
                weights.weight,
                weights.bias,
                count,
                sizes.normEpsilon,
                output
            )
        }
    }

    /// output [rowCount, layer.rows] = layer(norm(hidden)).
    func multiplyNormed(
        _ layer: LinearLayer,
        _ weights: NormWeights,
        rowCount: Int,
        exactly isExact: Bool = false,
        to output: UnsafeMutablePointer<Float>
    ) {
        let hidden = scratch.hidden.start
        let normed = scratch.normed.start
        let width = sizes.hidden
        multiply(layer, normed, rowCount: rowCount, exactly: isExact, to: output) { row in
            norm(hidden + row * width, weights, to: normed + row * width)
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
