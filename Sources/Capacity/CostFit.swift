// From measured runs to costs: what a run took is the sum of how often each thing happened, times its cost.

/// A measured run of a load.
public struct MeasuredRun: Codable, Equatable, Sendable {
    /// Seconds of the run.
    public var seconds = 0.0
    /// Nodes, and open connections, during the run.
    public var nodes = 1.0
    /// See `nodes`.
    public var connections = 0.0
    /// Turns that were asked and answered.
    public var turns = 0.0
    /// Tokens of all their prompts.
    public var promptTokens = 0.0
    /// Readers of all turns, without the askers.
    public var furtherReaders = 0.0
    /// Turns beside other nodes, which are told of each.
    public var turnsBeside = 0.0
    /// Deltas of all answers, each counted once.
    public var deltas = 0.0
    /// Deltas that readers received, all together.
    public var deltaReaders = 0.0
    /// Seconds in which answers grew, all together.
    public var growingSeconds = 0.0
    /// The same, once for each other node with readers.
    public var remoteSeconds = 0.0
    /// Processor time of all nodes, in seconds.
    public var nodeSeconds = 0.0
    /// Processor time of PostgreSQL, in seconds.
    public var databaseSeconds = 0.0
    /// Bytes of WAL.
    public var walBytes = 0.0

    /// Creates an empty run.
    public init() {}
}

/// Costs that explain measured runs best.
public enum CostFit {
    /// A thing that costs: how often it happened in a run.
    public typealias Count = @Sendable (MeasuredRun) -> Double

    /// The cost of each thing: by least squares of the relative errors in each round of runs, and of
    /// the rounds the median. No cost is negative.
    /// - Parameters:
    ///   - rounds: the runs; each round has at least as many as there are things, and differs in all.
    ///   - counts: the things.
    ///   - total: what a run took, without what an idle site takes.
    /// - Returns: a cost for each thing; nil if the runs cannot tell them apart.
    public static func costs(
        _ rounds: [[MeasuredRun]],
        of counts: [Count],
        total: Count
    ) -> [Double]? {
        let solutions = rounds.map { runs in
            solve(runs.map { run in counts.map { $0(run) } }, runs.map(total))
        }
        guard !solutions.isEmpty, solutions.allSatisfy({ $0 != nil }) else { return nil }
        return counts.indices.map { index in
            max(0, median(solutions.compactMap { $0?[index] }))
        }
    }

    /// The middle one of `values`, or the mean of the middle two; 0 without values.
    public static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The unknowns whose sums are nearest to `values`, by the normal equations.
    static func solve(_ rows: [[Double]], _ values: [Double]) -> [Double]? {
        let count = rows.first?.count ?? 0
        // Relative errors: each row is divided by its value.
        let weighted = zip(rows, values).map { row, value in
            row.map { $0 / max(abs(value), .leastNormalMagnitude) }
        }
        // The columns differ by orders of magnitude.
        let scales = (0..<count).map { column in weighted.map { abs($0[column]) }.max() ?? 0 }
        guard rows.count >= count, scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
        var matrix = Array(repeating: Array(repeating: 0.0, count: count + 1), count: count)
        for (row, value) in zip(weighted, values) {
            let scaled = zip(row, scales).map { $0 / $1 }
            for line in 0..<count {
                for column in 0..<count { matrix[line][column] += scaled[line] * scaled[column] }
                matrix[line][count] += scaled[line] * (value < 0 ? -1 : 1)
            }
        }
        guard let solution = eliminate(&matrix) else { return nil }
        return zip(solution, scales).map { $0 / $1 }
    }

    /// Gaussian elimination, with the largest element of a column as its pivot.
    private static func eliminate(_ matrix: inout [[Double]]) -> [Double]? {
        let count = matrix.count
        for column in 0..<count {
            let pivot =
                (column..<count).max { abs(matrix[$0][column]) < abs(matrix[$1][column]) }
                ?? column
            matrix.swapAt(column, pivot)
            guard abs(matrix[column][column]) > 1e-9 else { return nil }
            for line in 0..<count where line != column {
                let factor = matrix[line][column] / matrix[column][column]
                for index in column...count {
                    matrix[line][index] -= factor * matrix[column][index]
                }
            }
        }
        return (0..<count).map { matrix[$0][count] / matrix[$0][$0] }
    }
}
