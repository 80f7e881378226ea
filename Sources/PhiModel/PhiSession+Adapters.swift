// Adapters in a pass: the product with the model's weights is that of all rows, and the rows of each
// adapter get its change on top.

import PhiKernels

/// Adjacent rows that one adapter changes.
struct AdaptedRows {
    let adapter: Adapter
    var rows: Range<Int>
}

extension PhiSession {
    /// Finds the rows of each adapter in a pass, and reserves memory for them.
    func adapt(_ batch: [SequenceStep]) {
        adaptedRows.removeAll(keepingCapacity: true)
        var row = 0
        for step in batch {
            let rows = row..<row + step.tokens.count
            row = rows.upperBound
            guard let adapter = step.adapter else { continue }
            if let last = adaptedRows.last, last.adapter === adapter,
                last.rows.upperBound == rows.lowerBound
            {
                adaptedRows[adaptedRows.count - 1].rows = last.rows.lowerBound..<row
            } else {
                adaptedRows.append(AdaptedRows(adapter: adapter, rows: rows))
            }
        }
        scratch.lowRank.reserve(
            adaptedRows.reduce(0) { max($0, $1.rows.count * $1.adapter.rankMax) }
        )
    }

    /// Replaces the adapted rows by their places among `rows`, some rows of the pass in ascending
    /// order.
    func selectAdaptedRows(_ rows: [Int]) {
        adaptedRows = adaptedRows.map { adapted in
            let start = rows.count { $0 < adapted.rows.lowerBound }
            let count = rows.count { adapted.rows.contains($0) }
            return AdaptedRows(adapter: adapted.adapter, rows: start..<start + count)
        }
    }

    /// output += the adapters' changes of `layer` for the rows of `input` that they change.
    func addChanges(
        of layer: LinearLayer,
        _ input: UnsafePointer<Float>,
        to output: UnsafeMutablePointer<Float>
    ) {
        guard let place = layer.place else { return }
        for adapted in adaptedRows where !adapted.rows.isEmpty {
            for change in adapted.adapter.changes[place] {
                let first = adapted.rows.lowerBound
                withUnsafePointer(to: change.storage) { storage in
                    phi_team_add_low_rank(
                        team.pointer,
                        model.kernels.table,
                        storage,
                        input + first * storage.pointee.down.columns,
                        adapted.rows.count,
                        scratch.lowRank.start,
                        output + first * layer.rows + change.firstOutput,
                        layer.rows
                    )
                }
            }
        }
    }
}
