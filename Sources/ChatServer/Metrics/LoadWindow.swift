// What happened in the last seconds: the difference between counters now and ten seconds ago.

package import ChatProtocol
package import Instruments

/// Samples of counters, one a second.
package struct LoadWindow {
    /// The counters at one time.
    package struct Sample {
        let time: ContinuousClock.Instant
        /// Durations of the loop's turns.
        let turns: Histogram
        /// Generated tokens by model.
        let tokens: [String: Int]

        /// Creates a sample.
        package init(
            time: ContinuousClock.Instant,
            turns: Histogram,
            tokens: [String: Int]
        ) {
            self.time = time
            self.turns = turns
            self.tokens = tokens
        }
    }

    private static let countMax = 10
    private static let period = Duration.seconds(1)
    private var samples: [Sample] = []

    /// An empty window.
    package init() {}

    /// Whether it is time for the next sample.
    package func isDue(at now: ContinuousClock.Instant) -> Bool {
        samples.last.map { now - $0.time >= Self.period } ?? true
    }

    /// Adds a sample.
    package mutating func add(_ sample: Sample) {
        if samples.count == Self.countMax { samples.removeFirst() }
        samples.append(sample)
    }

    /// What happened since the oldest sample.
    /// - Parameter now: the counters as they are now.
    /// - Returns: the load, without the database's; nil without an earlier sample.
    package func load(until now: Sample) -> ServerLoad? {
        guard let first = samples.first, now.time > first.time else { return nil }
        let seconds = (now.time - first.time) / .seconds(1)
        let turns = zip(now.turns.counts, first.turns.counts).map { $0 - $1 }
        let speeds = now.tokens.compactMap { model, count -> ServerLoad.ModelSpeed? in
            let new = count - (first.tokens[model] ?? 0)
            guard new > 0 else { return nil }
            return ServerLoad.ModelSpeed(model: model, tokensPerSecond: Double(new) / seconds)
        }
        return ServerLoad(
            seconds: seconds,
            usualLagMilliseconds: Self.bound(of: turns, now.turns.bounds, share: 0.99) * 1000,
            longestLagMilliseconds: Self.bound(of: turns, now.turns.bounds, share: 1) * 1000,
            databaseConnections: 0,
            databaseConnectionsUsed: 0,
            databaseWaiting: 0,
            models: speeds.sorted { $0.model < $1.model }
        )
    }

    /// The bound of the bucket in which a share of the values is reached; for the last bucket, which
    /// has none, the bound before it.
    private static func bound(of counts: [Int], _ bounds: [Double], share: Double) -> Double {
        let wanted = (Double(counts.reduce(0, +)) * share).rounded(.up)
        var sum = 0
        for (count, bound) in zip(counts, bounds) {
            sum += count
            if Double(sum) >= wanted { return bound }
        }
        return bounds.last ?? 0
    }
}
