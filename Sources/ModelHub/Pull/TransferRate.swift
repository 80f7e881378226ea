// How fast bytes arrive, smoothed: what a person reads must not jump with each packet.

/// An exponentially weighted mean of a transfer's speed.
struct TransferRate {
    /// After this time a change of speed shows to two thirds.
    private static let memory = Duration.seconds(4)
    /// The shortest stretch that is measured.
    private static let stretch = Duration.milliseconds(250)

    private var start: ContinuousClock.Instant
    private var bytesInStretch = 0
    /// Both decay alike, so that their quotient is a mean from the first stretch on.
    private var weightedBytes = 0.0
    private var weightedSeconds = 0.0

    init(start: ContinuousClock.Instant) { self.start = start }

    /// Bytes each second; nil before the first stretch has ended.
    var bytesPerSecond: Double? {
        weightedSeconds > 0 ? weightedBytes / weightedSeconds : nil
    }

    /// Counts `bytes` that have arrived by `now`.
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
