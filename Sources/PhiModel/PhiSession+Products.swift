// Products with weights, exact or with rounded activations.

import PhiKernels

extension PhiSession {
    /// output [rowCount, layer.rows] = layer(input [rowCount, columns]). `fill` computes a row of
    /// the input on any thread just before it is rounded, while it is in the cache. If `isExact`, no
    /// activations are rounded, whatever the kernels do.
    func multiply(
        _ layer: LinearLayer,
        _ input: UnsafePointer<Float>,
        rowCount: Int,
        exactly isExact: Bool = false,
        to output: UnsafeMutablePointer<Float>,
        filling fill: (_ row: Int) -> Void = { _ in }
    ) {
        var target = output
        var isFilled = false
        // Bits and group size for which the input is rounded; none at first.
        var scheme: (bits: UInt32, groupSize: UInt32) = (0, 0)
        for matrix in layer.matrices {
            withUnsafePointer(to: matrix.storage) { storage in
                if model.kernels.rounds, !isExact, phi_takes_int8(storage) != 0 {
                    let wanted = (storage.pointee.bits, storage.pointee.group_size)
                    var codes = codes(of: rowCount)
                    if scheme != wanted {
                        quantize(storage, matrix, input, rowCount, isFilled ? { _ in } : fill)
                        phi_team_pack(team.pointer, model.kernels.table, storage, &codes)
                        scheme = wanted
                    }
                    phi_team_multiply_int8(
                        team.pointer,
                        model.kernels.table,
                        storage,
                        &codes,
                        target,
                        layer.rows
                    )
                } else {
                    if !isFilled { team.forEachRow(rowCount, fill) }
                    multiplyExactly(storage, matrix, input, rowCount, to: target, layer.rows)
                    // Its group sums have replaced those of the codes.
                    scheme = (0, 0)
                }
            }
            isFilled = true
            target += matrix.rows
        }
        if !layer.bias.isEmpty { add(layer.bias, to: output, rowCount) }
        addChanges(of: layer, input, to: output)
    }

    /// Adds `bias` to each of the rows.
    private func add(_ bias: [Float], to rows: UnsafeMutablePointer<Float>, _ rowCount: Int) {
        let kernels = kernels
        team.forEachRow(rowCount) { row in
            kernels.add(rows + row * bias.count, bias, bias.count)
        }
    }

    private func multiplyExactly(
        _ storage: UnsafePointer<phi_matrix>,
        _ matrix: WeightMatrix,
        _ input: UnsafePointer<Float>,
        _ rowCount: Int,
        to output: UnsafeMutablePointer<Float>,
        _ outputStride: Int
    ) {
        let sums = scratch.groupSums.start
        if matrix.hasBiases {
            kernels.group_sums(
                input,
                rowCount * matrix.groupCount,
                Int(matrix.storage.group_size),
                sums
            )
        }
        var activations = phi_activations(values: input, group_sums: sums, count: rowCount)
        phi_team_multiply(
            team.pointer,
            model.kernels.table,
            storage,
            &activations,
            output,
            outputStride
        )
    }

    /// The rounded rows in `scratch`.
    private func codes(of rowCount: Int) -> phi_int8_activations {
        phi_int8_activations(
            codes: scratch.codes.start,
            scales: scratch.codeScales.start,
            sums: scratch.groupSums.start,
            count: rowCount,
            packed: scratch.packed.start
        )
    }

    /// Rounds the rows of `input` to int8 for `matrix`, each as soon as it is filled.
    private func quantize(
        _ storage: UnsafePointer<phi_matrix>,
        _ matrix: WeightMatrix,
        _ input: UnsafePointer<Float>,
        _ rowCount: Int,
        _ fill: (_ row: Int) -> Void
    ) {
        let codes = scratch.codes.start
        let scales = scratch.codeScales.start
        let sums = scratch.groupSums.start
        let quantize = kernels.quantize
        let columns = matrix.columns
        let groupCount = matrix.groupCount
        team.forEachRow(rowCount) { row in
            fill(row)
            quantize?(
                storage,
                input + row * columns,
                codes + row * columns,
                scales + row * groupCount,
                sums + row * groupCount
            )
        }
    }
}
