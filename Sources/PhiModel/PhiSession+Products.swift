// Products of a pass with weights, exact or with rounded activations.

import PhiKernels

extension PhiSession {
    /// output [rowCount, matrix.rows] = input [rowCount, matrix.columns] matrix^T.
    func multiply(
        _ matrix: WeightMatrix,
        _ input: UnsafePointer<Float>,
        rowCount: Int,
        to output: UnsafeMutablePointer<Float>
    ) {
        withUnsafePointer(to: matrix.storage) { storage in
            if model.kernels.rounds, phi_takes_int8(storage) != 0 {
                multiplyRounded(storage, matrix, input, rowCount: rowCount, to: output)
            } else {
                multiplyExactly(storage, matrix, input, rowCount: rowCount, to: output)
            }
        }
    }

    private func multiplyExactly(
        _ storage: UnsafePointer<phi_matrix>,
        _ matrix: WeightMatrix,
        _ input: UnsafePointer<Float>,
        rowCount: Int,
        to output: UnsafeMutablePointer<Float>
    ) {
        let sums = scratch.groupSums.start
        if matrix.isQuantized {
            kernels.group_sums(
                input,
                rowCount * matrix.groupCount,
                Int(matrix.storage.group_size),
                sums
            )
        }
        var activations = phi_activations(values: input, group_sums: sums, count: rowCount)
        phi_team_multiply(team.pointer, model.kernels.table, storage, &activations, output)
    }

    private func multiplyRounded(
        _ storage: UnsafePointer<phi_matrix>,
        _ matrix: WeightMatrix,
        _ input: UnsafePointer<Float>,
        rowCount: Int,
        to output: UnsafeMutablePointer<Float>
    ) {
        let codes = scratch.codes.start
        let scales = scratch.codeScales.start
        let sums = scratch.groupSums.start
        let quantize = kernels.quantize
        team.forEachRow(rowCount) { row in
            quantize?(
                storage,
                input + row * matrix.columns,
                codes + row * matrix.columns,
                scales + row * matrix.groupCount,
                sums + row * matrix.groupCount
            )
        }
        var activations = phi_int8_activations(
            codes: codes,
            scales: scales,
            sums: sums,
            count: rowCount,
            packed: scratch.packed.start
        )
        phi_team_multiply_int8(team.pointer, model.kernels.table, storage, &activations, output)
    }
}
