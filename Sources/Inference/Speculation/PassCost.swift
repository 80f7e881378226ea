// What a pass takes by the number of its rows. A processor reads all weights for one row as for
// many: a few rows more are nearly free, until the products take longer than the reading. Where
// that is depends on the processor, its threads and the model, so passes are timed.

/// How long passes of growing answers take, learned from those that were. A value without a clock.
package struct PassCost: Sendable {
    /// The most rows that are told apart.
    package static let rowsMax = 32
    /// A time that no pass has confirmed for so many passes is taken as unknown, so that one that
    /// chance made long is tried again.
    private static let freshCount = 1000

    private struct Time {
        var seconds: Double
        /// The pass that confirmed it last.
        var pass: Int
    }

    /// By rows, from 1 on.
    private var times = [Time?](repeating: nil, count: PassCost.rowsMax + 1)
    private var passCount = 0

    /// What is known of no pass.
    package init() {}

    /// Takes note of a pass.
    package mutating func note(rows: Int, took duration: Duration) {
        let seconds = duration / .seconds(1)
        guard (1...Self.rowsMax).contains(rows), seconds > 0 else { return }
        passCount += 1
        var time = known(rows) ?? seconds
        // Whatever else the machine does makes a pass longer, and none shorter.
        time += (seconds - time) / (seconds < time ? 2 : 8)
        times[rows] = Time(seconds: time, pass: passCount)
    }

    /// What a pass of so many rows takes, in seconds; in passes of one row where nothing is known.
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

    /// Beyond what is known rows are taken to cost little: a pass that was wrongly hoped for tells
    /// what they cost, and one that nobody dared tells nothing.
    private static func hope(_ rows: Int) -> Double { max(1, Double(rows) / 8) }
}
