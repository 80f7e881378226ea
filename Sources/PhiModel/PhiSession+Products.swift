// Products with weights, exact or with rounded activations.

import PhiKernels

extension PhiSession {
    /// output [rowCount, matrix.rows] = input [rowCount, matrix.columns] matrix^T. `fill` computes
    /// a row of the input on any thread just before it is rounded, while it is in the cache.
    func multiply(
        _ matrix: WeightMatrix,
        _ input: UnsafePointer<Float>,
        rowCount: Int,
        to output: UnsafeMutablePointer<Float>,
        filling fill: (_ row: Int) -> Void = { _ in }
    ) {
        withUnsafePointer(to: matrix.storage) { storage in
            if model.kernels.rounds, phi_takes_int8(storage) != 0 {
                let codes = quantize(storage, matrix, input, rowCount: rowCount, filling: fill)
                withUnsafePointer(to: codes) {
                    phi_team_multiply_int8(
                        team.pointer,
                        model.kernels.table,
                        storage,
                        $0,
                        output
                    )
                }
            } else {
                team.forEachRow(rowCount, fill)
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

    /// Rounds the rows of `input` to int8 for `matrix`, each as soon as it is filled.
    private func quantize(
        _ storage: UnsafePointer<phi_matrix>,
        _ matrix: WeightMatrix,
        _ input: UnsafePointer<Float>,
        rowCount: Int,
        filling fill: (_ row: Int) -> Void
    ) -> phi_int8_activations {
        let codes = scratch.codes.start
        let scales = scratch.codeScales.start
        let sums = scratch.groupSums.start
        let quantize = kernels.quantize
        team.forEachRow(rowCount) { row in
            fill(row)
            quantize?(
                storage,
                input + row * matrix.columns,
                codes + row * matrix.columns,
                scales + row * matrix.groupCount,
                sums + row * matrix.groupCount
            )
        }
        return phi_int8_activations(
            codes: codes,
            scales: scales,
            sums: sums,
            count: rowCount,
            packed: scratch.packed.start
        )
    }
}
