// The time of a pass by its number of rows. All weights are read once for any number of rows: a few
// more rows are nearly free, until computing takes longer than reading. Where that is depends on
// the processor, its threads and the model, so passes are timed.

/// The times of decoding passes, learned from measurements. A value without a clock.
package struct PassCost: Sendable {
    /// Maximum number of rows with separate times.
    package static let rowsMax = 32
    /// A time that was not confirmed for this number of passes is discarded, so that an outlier is
    /// measured again.
    private static let freshCount = 1000

    private struct Time {
        var seconds: Double
        /// The number of the latest pass that confirmed it.
        var pass: Int
    }

    /// By number of rows, from 1 on.
    private var times = [Time?](repeating: nil, count: PassCost.rowsMax + 1)
    private var passCount = 0

    /// Creates an estimate without measurements.
    package init() {}

    /// Records a pass.
    package mutating func note(rows: Int, took duration: Duration) {
        let seconds = duration / .seconds(1)
        guard (1...Self.rowsMax).contains(rows), seconds > 0 else { return }
        passCount += 1
        var time = known(rows) ?? seconds
        // Other load makes a pass longer, never shorter.
        time += (seconds - time) / (seconds < time ? 2 : 8)
        times[rows] = Time(seconds: time, pass: passCount)
    }

    /// The estimated time of a pass with this number of rows, in seconds; in units of a pass with
    /// one row if nothing is known.
    package func estimate(rows: Int) -> Double {
        let rows = min(max(rows, 1), Self.rowsMax)
        let below = firstKnown((1...rows).reversed())
        let above = firstKnown(rows...Self.rowsMax)
        if let below, let above, below.rows < above.rows {
            let share = Double(rows - below.rows) / Double(above.rows - below.rows)
            return below.seconds + share * (above.seconds - below.seconds)
        }
        guard let near = below ?? above else { return Self.hope(rows) }
        return near.seconds * Self.hope(rows) / Self.hope(near.rows)
    }

    private func firstKnown(_ rows: some Sequence<Int>) -> (rows: Int, seconds: Double)? {
        for row in rows {
            if let seconds = known(row) { return (row, seconds) }
        }
        return nil
    }

    private func known(_ rows: Int) -> Double? {
        guard times.indices.contains(rows), let time = times[rows],
            passCount - time.pass < Self.freshCount
        else { return nil }
        return time.seconds
    }

    /// For unknown numbers of rows low costs are assumed: a pass that turns out slow is measured,
    /// one that is never tried is not.
    private static func hope(_ rows: Int) -> Double { max(1, Double(rows) / 8) }
}
