// Mixtures of experts. The rows of a pass are grouped by expert, so that each expert's weights are
// read once for all of its rows, and those of experts that no row has chosen are not read at all.

import Checkpoints
import PhiKernels

/// Buffers for N rows; C is the number of experts that a row chooses.
struct ExpertScratch: ~Copyable {
    /// [N, E] the router's logits
    let logits: Buffer<Float>
    /// [N, C] the chosen experts, and their weights
    let chosen: Buffer<Int>
    let weights: Buffer<Float>
    /// [N] the rows of one expert, and its weight in each
    let rows: Buffer<Int>
    let rowWeights: Buffer<Float>
    /// [N, H] the inputs of one expert, and its outputs
    let inputs: Buffer<Float>
    let outputs: Buffer<Float>

    init(_ sizes: Dimensions, rowCount: Int) {
        logits = Buffer(count: rowCount * sizes.expertCount)
        chosen = Buffer(count: rowCount * sizes.chosenExpertCount)
        weights = Buffer(count: rowCount * sizes.chosenExpertCount)
        rows = Buffer(count: rowCount)
        rowWeights = Buffer(count: rowCount)
        inputs = Buffer(count: rowCount * sizes.hidden)
        outputs = Buffer(count: rowCount * sizes.hidden)
    }

    var byteCount: Int {
        logits.byteCount + chosen.byteCount + weights.byteCount + rows.byteCount
            + rowWeights.byteCount + inputs.byteCount + outputs.byteCount
    }
}

extension PhiSession {
    /// hidden += the weighted outputs of the experts that each row chooses.
    func mix(_ weights: ExpertWeights, _ norm: NormWeights, _ rowCount: Int) {
        choose(weights.router, norm, rowCount)
        // A row's outputs are added in the order of the experts, whatever other rows choose.
        for (index, expert) in weights.experts.enumerated() {
            let count = collectRows(of: index, rowCount)
            if count > 0 { add(expert, count) }
        }
    }

    /// The experts of each row. The router is not rounded: its choice is not continuous.
    private func choose(_ router: LinearLayer, _ norm: NormWeights, _ rowCount: Int) {
        guard let choice = model.configuration.design.experts else { return }
        let logits = scratch.experts.logits.start
        multiplyNormed(router, norm, rowCount: rowCount, exactly: true, to: logits)
        let mixer = SparseMixer(choice)
        for row in 0..<rowCount {
            mixer.choose(
                logits + row * mixer.expertCount,
                experts: scratch.experts.chosen.start + row * mixer.chosenCount,
                weights: scratch.experts.weights.start + row * mixer.chosenCount
            )
        }
    }

    /// Lists the rows that have chosen an expert, and returns their number.
    private func collectRows(of expert: Int, _ rowCount: Int) -> Int {
        let chosenCount = sizes.chosenExpertCount
        var count = 0
        for index in 0..<rowCount * chosenCount
        where scratch.experts.chosen.start[index] == expert {
            scratch.experts.rows.start[count] = index / chosenCount
            scratch.experts.rowWeights.start[count] = scratch.experts.weights.start[index]
            count += 1
        }
        return count
    }

    /// hidden += the weighted output of one expert, for the `count` rows that are listed.
    private func add(_ expert: MLPWeights, _ count: Int) {
        let hiddenSize = sizes.hidden
        let hidden = scratch.hidden.start
        let normed = scratch.normed.start
        let rows = scratch.experts.rows.start
        let weights = scratch.experts.rowWeights.start
        let inputs = scratch.experts.inputs.start
        let outputs = scratch.experts.outputs.start
        multiply(expert.expand, inputs, rowCount: count, to: scratch.expanded.start) { row in
            (inputs + row * hiddenSize)
                .update(from: normed + rows[row] * hiddenSize, count: hiddenSize)
        }
        multiply(
            expert.contract,
            scratch.activated.start,
            rowCount: count,
            to: outputs
        ) { activate($0) }
        team.forEachRow(count) { row in
            phi_add_scaled(
                hidden + rows[row] * hiddenSize,
                outputs + row * hiddenSize,
                hiddenSize,
                weights[row]
            )
        }
    }
}
