// The receive rate, smoothed so that a displayed figure does not jump with each packet.

/// An exponentially weighted mean of a transfer's rate.
struct TransferRate {
    /// The time constant of the mean.
    private static let memory = Duration.seconds(4)
    /// The minimum time between two samples.
    private static let stretch = Duration.milliseconds(250)

    private var start: ContinuousClock.Instant
    private var bytesInStretch = 0
    /// Both decay alike, so their quotient is a mean from the first sample on.
    private var weightedBytes = 0.0
    private var weightedSeconds = 0.0

    init(start: ContinuousClock.Instant) { self.start = start }

    /// Bytes per second; nil before the first sample.
    var bytesPerSecond: Double? {
        weightedSeconds > 0 ? weightedBytes / weightedSeconds : nil
    }

    /// Counts `bytes` received by `now`.
    mutating func add(_ bytes: Int, at now: ContinuousClock.Instant) {
        bytesInStretch += bytes
        let time = now - start
        guard time >= Self.stretch else { return }
        let kept = 1 / (1 + time / Self.memory)
        weightedBytes = weightedBytes * kept + Double(bytesInStretch)
        weightedSeconds = weightedSeconds * kept + time / .seconds(1)
        start = now
        bytesInStretch = 0
    }
}
